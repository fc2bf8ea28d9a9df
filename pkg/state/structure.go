package state

import "github.com/keboola/configurable-extractor/pkg/value"

const (
	keyStruct        = "json_parser.struct"
	keyStructVersion = "json_parser.structVersion"
	// structVersion is the version of the structure that this program reads and
	// writes.
	structVersion = 3
)

// Structure remembers the structure of automatic tables, so that columns keep
// their names and places. What it looks like is known to package mapping.
type Structure struct {
	// Legacy is set when the previous run was one of the original's old table
	// parser, whose structure is not read.
	Legacy bool
	// Previous is what the previous run left, null for nothing.
	Previous value.Value
	// Latest is for the next run, null to leave what was there.
	Latest value.Value
}

func (s *Structure) Keys() []string { return []string{keyStruct, keyStructVersion} }

func (s *Structure) Load(previous value.Value) {
	version := previous.Field(keyStructVersion)
	number, ok := version.Int()
	s.Legacy = ok && number < structVersion
	if !s.Legacy && !version.Empty() {
		s.Previous = previous.Field(keyStruct)
	}
}

func (s *Structure) Save() []value.Member {
	if s.Latest.IsNull() {
		return nil
	}
	return []value.Member{{Name: keyStruct, Value: s.Latest}, {Name: keyStructVersion, Value: value.OfInt(structVersion)}}
}
