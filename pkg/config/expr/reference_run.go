package expr

// Time refers to the start times of this run and of the previous run.
const Time Context = "time"

// TimeNames returns the members of the context Time without values, for Compiler.Known.
func TimeNames() Members { return Members{"previousStart": {}, "currentStart": {}} }

func runReferences() []Reference {
	return []Reference{
		{Key: Time, Argument: "NAME", Examples: []Example{{`{"time": "currentStart"}`, `1709631000`}, {`{"time": "previousStart"}`, `1709544600`}}, Where: []Site{InJobs, InShared, InScrollBody, InUserData, InFile, InWindows, InRemember},
			Doc: "`currentStart` or `previousStart`: when this run or the previous one started, in seconds since 1970. 0 if there was no previous run."},
	}
}
