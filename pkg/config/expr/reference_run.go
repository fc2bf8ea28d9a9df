package expr

// Time are the times of this run and the previous one.
const Time Context = "time"

// TimeNames are the members of the context Time, which every run has; for
// Compiler.Known.
func TimeNames() Members { return Members{"previousStart": {}, "currentStart": {}} }

func runReferences() []Reference {
	return []Reference{
		{Key: Time, Argument: "NAME", Examples: []Example{{`{"time": "currentStart"}`, `1709631000`}, {`{"time": "previousStart"}`, `1709544600`}}, Where: []Site{InJobs, InShared, InUserData, InWindows, InRemember},
			Doc: "`currentStart` or `previousStart`: when this run or the previous one started, in seconds since 1970. 0 if there was no previous run."},
	}
}
