package tableload

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

type mapping struct {
	entries []settings
	bucket  string // id of the default bucket, "" if there is none
}

// mapping reads the output mapping of tables from the configuration.
func (o Options) mapping() (mapping, error) {
	m := mapping{bucket: defaultBucket(o.Component, o.Config)}
	section := newObject("storage.output", o.Storage.Field("output"))
	if section.value.IsNull() {
		return m, nil
	}
	if name := section.text("default_bucket"); name != "" {
		m.bucket = name
	}
	for i, v := range section.items("tables") {
		s, err := parseEntry(fmt.Sprintf("storage.output.tables.%d", i), v)
		if err != nil {
			return m, err
		}
		m.entries = append(m.entries, s)
	}
	return m, section.err
}

// settingsOf returns the settings for each load of a file: one for each entry of the
// output mapping with this source, merged with the manifest. Without such an entry it
// returns the settings of the manifest.
func (m mapping) settingsOf(file string, manifest settings) (all []settings) {
	for _, entry := range m.entries {
		if entry.source == file {
			all = append(all, entry.overManifest(manifest))
		}
	}
	if all == nil {
		manifest.source = ""
		all = append(all, manifest)
	}
	return all
}

func (m mapping) checkSources(tables []data) error {
	there := map[string]bool{}
	for _, d := range tables {
		there[d.name] = true
	}
	var missing []string
	for _, entry := range m.entries {
		if !there[entry.source] {
			missing = append(missing, fmt.Sprintf("%q", entry.source))
		}
	}
	if len(missing) > 0 {
		return failure.Userf("Table sources not found: %s", strings.Join(missing, ", "))
	}
	return nil
}

// defaultBucket returns the id of the default bucket. It returns "" if config is empty.
func defaultBucket(component, config string) string {
	if config == "" {
		return ""
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, component)
	return "in.c-" + name + "-" + config
}

// destination returns the id of the table for a file.
func (o Options) destination(file string, s settings, bucket string) (string, error) {
	unresolved := failure.Userf("Failed to resolve destination for output table %q.", file)
	switch {
	case strings.Count(s.destination, ".") == 2:
		return s.destination, nil
	case s.source != "":
		return "", unresolved
	}
	name := s.destination
	if name == "" {
		name = strings.TrimSuffix(file, ".csv")
	}
	switch {
	case strings.Count(name, ".") == 2:
		o.Warn(fmt.Sprintf("Table %q: taking the destination from the file name is deprecated, name it in the manifest", file))
		return name, nil
	case bucket == "":
		return "", unresolved
	default:
		return bucket + "." + name, nil
	}
}
