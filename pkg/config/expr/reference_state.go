package expr

// Remembered refers to the values that earlier runs left for this run, by name.
const Remembered Context = "remembered"

func stateReferences() []Reference {
	return []Reference{
		{Key: Remembered, Argument: "NAME", Examples: []Example{{`{"remembered": "since"}`, `"2024-03-04T08:15:00Z"`}, {`{"remembered": "cursor"}`, `null`}}, Optional: true,
			Where: []Site{InHeaders, InJobs, InShared, InScrollBody, InUserData, InFile, InWindows, InLogin, InOAuthLogin, InRemember},
			Doc:   "What an earlier run stored under the name, see `remember`. Null if there is nothing yet, so the first run leaves the parameter out. A name that begins with `#` is a secret."},
	}
}
