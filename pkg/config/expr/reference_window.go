package expr

import (
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Window refers to the window of a run of the job.
const Window Context = "window"

// The members of the context Window.
const (
	windowStart = "start"
	windowEnd   = "end"
)

// WindowMembers returns the members of the context Window.
func WindowMembers(start, end value.Value) Members {
	return Members{windowStart: start, windowEnd: end}
}

func windowReferences() []Reference {
	return []Reference{
		{Key: Window, Argument: `"start"`, Examples: []Example{{`{"window": "start"}`, `"2024-03-01"`}, {`{"window": "end"}`, `"2024-03-08"`}}, Where: []Site{InHeaders, InJobs, InShared, InScrollBody, InUserData, InFile, InWindows, InDataType, InRemember}, Optional: true, Check: checkWindow,
			Doc: "`start` or `end` of the window that the job, or the nearest job above it, runs for, in the `format` of `windows`. Null for a job without windows, if other jobs have them. In `if` and `windows`: the window of a job above. In `remember`: the exclusive end of the window, in the format `c`."},
	}
}

func checkWindow(c Compiler, name string) *ArgumentProblem {
	f := &ArgumentProblem{Found: quoted(name)}
	switch members := c.Known[Window]; {
	case name != windowStart && name != windowEnd:
		f.Expected = `expected "start" or "end"`
		if len(members) == 0 {
			f.Hint = literalHint
		}
	case len(members) == 0:
		f.Expected, f.Hint = `expected "windows" in this job or in one above it`, `add "windows" to the job; `+literalHint
		if c.Place == InWindows {
			f.Hint = "what decides about the windows of a job cannot refer to them"
		}
	default:
		return nil
	}
	return f
}

// WindowNames returns the members of the context Window without values, for
// Compiler.Known.
func WindowNames() Members { return WindowMembers(value.Value{}, value.Value{}) }
