package expr

// Time are the times of this run and the previous one.
const Time Context = "time"

// TimeNames are the members of the context Time, which every run has; for
// Compiler.Known.
func TimeNames() Members { return Members{"previousStart": {}, "currentStart": {}} }

func runReferences() []Reference {
	return []Reference{
		{Key: Time, Argument: "NAME", Example: `{"time": "previousStart"}`, Where: []Place{InJobs, InShared, InUserData, InRemember},
			Doc: "`currentStart` or `previousStart`: when this run and the one before it started, in seconds since 1970, 0 where there was none"},
	}
}
