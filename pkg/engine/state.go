package engine

import (
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The keys of the state file.
const (
	keyTime          = "time"
	keyPrevious      = "previousStart"
	keyCurrent       = "currentStart"
	keyStruct        = "json_parser.struct"
	keyStructVersion = "json_parser.structVersion"
	// structVersion is the version of the structure this program reads and
	// writes.
	structVersion = 3
)

// previousStart is when the previous run started (Unix seconds), 0 for the
// first run.
func previousStart(state value.Value) value.Value {
	if v := state.Field(keyTime).Field(keyPrevious); !v.Empty() {
		return v
	}
	return value.OfInt(0)
}

// previousStructure is the structure of the automatic tables that the previous
// run left, null when there is none.
func previousStructure(state value.Value) value.Value {
	if legacy(state) || state.Field(keyStructVersion).Empty() {
		return value.Value{}
	}
	return state.Field(keyStruct)
}

// legacy tells whether the state was left by the original's old table parser.
func legacy(state value.Value) bool {
	version, ok := state.Field(keyStructVersion).Int()
	return ok && version < structVersion
}

// nextState is the state of the next run: everything that was there, this run's
// start, and the structure of the tables.
func nextState(state value.Value, start int64, structure value.Value) value.Value {
	times := state.Field(keyTime).Without(keyCurrent).With(keyPrevious, value.OfInt(start))
	next := state.With(keyTime, times)
	if structure.IsNull() {
		return next
	}
	return next.With(keyStruct, structure).With(keyStructVersion, value.OfInt(structVersion))
}
