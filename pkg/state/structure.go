package state

import "github.com/keboola/configurable-extractor/pkg/value"

const (
	keyStruct        = "json_parser.struct"
	keyStructVersion = "json_parser.structVersion"
	// structVersion is the version that this program reads and writes.
	structVersion = 3
)

// Structure stores the structure of automatic tables, so that columns keep their names
// and order. Package mapping defines its form.
type Structure struct {
	// Legacy is true if the state is from the old table parser of the original extractor.
	// Its structure is not read.
	Legacy bool
	// Previous is the structure of the previous run, or null.
	Previous value.Value
	// Latest is the structure for the next run. If it is null, the previous structure is
	// kept.
	Latest value.Value
}

func (s *Structure) load(previous value.Value) {
	version := previous.Field(keyStructVersion)
	number, ok := version.Int()
	s.Legacy = ok && number < structVersion
	if !s.Legacy && !version.Empty() {
		s.Previous = previous.Field(keyStruct)
	}
}

func (s *Structure) save() []value.Member {
	if s.Latest.IsNull() {
		return nil
	}
	return []value.Member{{Name: keyStruct, Value: s.Latest}, {Name: keyStructVersion, Value: value.OfInt(structVersion)}}
}
