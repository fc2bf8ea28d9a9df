package tableload

import (
	"maps"
	"slices"
)

// overManifest merges an entry of the output mapping with a manifest. The value of the
// entry wins unless it is absent or the default. Metadata and schemas are merged.
func (s settings) overManifest(manifest settings) settings {
	m := manifest
	m.source, m.destination = s.source, s.destination
	m.incremental = s.incremental || manifest.incremental
	m.hasHeader = s.hasHeader || manifest.hasHeader
	m.writeAlways = s.writeAlways || manifest.writeAlways
	m.hasDeletes = s.hasDeletes || manifest.hasDeletes
	if s.delimiter != nil && *s.delimiter != defaultDelimiter {
		m.delimiter = s.delimiter
	}
	if s.enclosure != nil && *s.enclosure != defaultEnclosure {
		m.enclosure = s.enclosure
	}
	if len(s.columns) > 0 {
		m.columns = s.columns
	}
	if len(s.primaryKey) > 0 {
		m.primaryKey = s.primaryKey
	}
	if len(s.distributionKey) > 0 {
		m.distributionKey = s.distributionKey
	}
	m.olderMetadata = s.olderMetadata || manifest.olderMetadata
	m.metadata = union(manifest.metadata, s.metadata)
	m.columnMetadata = map[string]map[string]string{}
	for _, side := range []settings{manifest, s} {
		for name, pairs := range side.columnMetadata {
			m.columnMetadata[name] = union(m.columnMetadata[name], pairs)
		}
	}
	m.schema = mergeSchemas(manifest.schema, s.schema)
	return m
}

func union(a, b map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// mergeSchemas merges columns of the same name, where above wins. Columns that only above
// has follow at the end.
func mergeSchemas(below, above []column) []column {
	merged := slices.Clone(below)
	for _, c := range above {
		i := slices.IndexFunc(merged, func(m column) bool { return m.name == c.name })
		if i < 0 {
			merged = append(merged, c)
			continue
		}
		m := &merged[i]
		if c.baseType != "" {
			m.baseType, m.length = c.baseType, c.length
		}
		if c.nullable != nil {
			m.nullable = c.nullable
		}
		if c.primaryKey != nil {
			m.primaryKey = c.primaryKey
		}
		m.metadata = union(m.metadata, c.metadata)
	}
	return merged
}
