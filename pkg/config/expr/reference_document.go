package expr

// Attr refers to attributes, the undeclared keys of `config`. Env refers to environment
// variables.
const (
	Attr Context = "attr"
	Env  Context = "env"
)

// EnvPrefix is the prefix of the environment variables that a configuration may read.
const EnvPrefix = "EXTRACTOR_VAR_"

func documentReferences() []Reference {
	return []Reference{
		{Key: Attr, Argument: "NAME", Examples: []Example{{`{"attr": "account.id"}`, `7`}, {`{"attr": "regions.0"}`, `"eu"`}, {`{"attr": "suffix", "default": "none"}`, `"none"`}},
			Where: []Site{InBaseURL, InHeaders, InJobs, InShared, InScrollBody, InUserData, InFile, InWindows, InDataType, InRemember, InLogin, InOAuthLogin, InAfterLogin, InLoginRemember, InQueryAuth},
			Doc:   "The value of a key of `config`. Separate nested keys and list indexes by dots."},
		{Key: Env, Argument: "NAME", Examples: []Example{{`{"env": "API_KEY"}`, `"k-42"`}}, Secret: true, Where: []Site{InAttributes},
			Doc: "The environment variable `" + EnvPrefix + "NAME`. The value is always a secret. A variable that is not set is an error."},
	}
}
