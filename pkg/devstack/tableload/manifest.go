package tableload

import (
	"maps"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The default format of files.
const (
	defaultDelimiter = ","
	defaultEnclosure = `"`
)

// descriptionKey is the metadata key of descriptions.
const descriptionKey = "KBC.description"

// settings holds the settings of a table, from a manifest or from an entry of the output
// mapping. A setting that was not given has the zero value.
type settings struct {
	source      string // source table, set only for entries of the output mapping
	destination string
	incremental bool
	hasHeader   bool
	// delimiter and enclosure are nil if not given; an enclosure may be "".
	delimiter, enclosure    *string
	columns, primaryKey     []string
	distributionKey         []string
	metadata                map[string]string
	olderMetadata           bool // whether metadata was given in the older form
	columnMetadata          map[string]map[string]string
	schema                  []column
	hasDeletes, writeAlways bool
}

type column struct {
	name       string
	baseType   string
	length     string
	nullable   *bool
	primaryKey *bool
	metadata   map[string]string
}

// parseManifest parses a manifest. Errors name it by path.
func parseManifest(path string, text []byte) (settings, error) {
	v, err := value.Parse(text)
	var s settings
	if err == nil {
		o := newObject("", v)
		s = readSettings(o)
		err = o.finish()
	}
	if err == nil {
		err = s.checkForms()
	}
	if err != nil {
		return s, failure.Userf("Failed to parse manifest file %q as \"json\": %w", path, err)
	}
	return s, nil
}

func parseEntry(path string, v value.Value) (settings, error) {
	o := newObject(path, v)
	source := o.requiredText("source")
	s := readSettings(o)
	s.source = source
	if s.destination == "" {
		o.fail("destination", "given and not empty")
	}
	if err := o.finish(); err != nil {
		return s, err
	}
	if err := s.checkForms(); err != nil {
		return s, failure.Wrap(path, "", err)
	}
	return s, nil
}

func readSettings(o *object) settings {
	s := settings{
		destination:     o.text("destination"),
		columns:         o.texts("columns"),
		primaryKey:      o.texts("primary_key"),
		distributionKey: o.texts("distribution_key"),
		metadata:        o.pairs("metadata"),
		columnMetadata:  map[string]map[string]string{},
	}
	s.olderMetadata = len(s.metadata) > 0
	s.incremental, _ = o.flag("incremental")
	s.hasHeader, _ = o.flag("has_header")
	s.delimiter, s.enclosure = o.optionalText("delimiter"), o.optionalText("enclosure")
	o.object("column_metadata", func(inner *object) {
		for _, m := range inner.value.Members() {
			s.columnMetadata[m.Name] = inner.pairs(m.Name)
		}
	})
	o.objects("schema", func(item *object) { s.schema = append(s.schema, readColumn(item)) })
	tableMetadata := o.members("table_metadata")
	describe(o, "table_metadata", tableMetadata)
	maps.Copy(s.metadata, tableMetadata)
	s.hasDeletes = readDeletes(o)
	s.writeAlways, _ = o.flag("write_always")
	o.texts("tags")
	o.oneOf("deduplication_strategy", "insert", "upsert")
	o.text("unload_strategy")
	o.text("manifest_type")
	return s
}

func (o *object) optionalText(name string) *string {
	if _, found := o.get(name); !found {
		return nil
	}
	text := o.text(name)
	return &text
}

func (o *object) oneOf(name string, allowed ...string) string {
	text := o.text(name)
	if text != "" && !slices.Contains(allowed, text) {
		o.fail(name, "one of "+strings.Join(allowed, ", "))
	}
	return text
}

// describe adds the description to the metadata. It reports an error if the metadata
// already has a description.
func describe(o *object, name string, metadata map[string]string) {
	text := o.optionalText("description")
	if text == nil {
		return
	}
	if _, twice := metadata[descriptionKey]; twice && o.err == nil {
		o.err = onlyOne("description", name+"."+descriptionKey)
	}
	metadata[descriptionKey] = *text
}

func onlyOne(a, b string) error {
	return failure.Userf("Only one of %q or %q can be defined.", a, b)
}

// checkForms returns a user error if the settings mix the older form with a schema.
func (s settings) checkForms() error {
	if len(s.schema) == 0 {
		return nil
	}
	for _, older := range []struct {
		name  string
		given bool
	}{
		{"columns", len(s.columns) > 0},
		{"metadata", s.olderMetadata},
		{"column_metadata", len(s.columnMetadata) > 0},
		{"primary_key", len(s.primaryKey) > 0},
		{"distribution_key", len(s.distributionKey) > 0},
	} {
		if older.given {
			return onlyOne("schema", older.name)
		}
	}
	return nil
}

func readColumn(o *object) column {
	c := column{name: o.requiredText("name"), nullable: o.optionalFlag("nullable"), primaryKey: o.optionalFlag("primary_key")}
	o.flag("distribution_key")
	o.object("data_type", func(types *object) {
		types.object("base", func(base *object) {
			c.baseType = base.oneOf("type", store.BaseTypes()...)
			c.length = readType(base)
		})
		for _, backend := range []string{"snowflake", "bigquery"} {
			types.object(backend, func(own *object) { readType(own) })
		}
	})
	c.metadata = o.members("metadata")
	describe(o, "metadata", c.metadata)
	return c
}

// readType reads a type and returns its length.
func readType(o *object) (length string) {
	o.requiredText("type")
	length, _ = o.scalar("length")
	o.scalar("default")
	return length
}

func (o *object) optionalFlag(name string) *bool {
	on, found := o.flag(name)
	if !found {
		return nil
	}
	return &on
}
