package expr

// Remembered is what earlier runs left for this one, by its name.
const Remembered Context = "remembered"

func stateReferences() []Reference {
	return []Reference{
		{Key: Remembered, Argument: "NAME", Example: `{"remembered": "since"}`, Optional: true,
			Where: []Place{InHeaders, InJobs, InShared, InUserData, InLogin, InOAuthLogin, InRemember},
			Doc:   "what an earlier run remembered under the name, see `remember`; null before, so that the first run leaves the parameter out. A name with `#` is a secret"},
	}
}
