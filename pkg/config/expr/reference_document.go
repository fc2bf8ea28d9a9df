package expr

// Attr are the attributes, the other keys of `config`; Env the environment.
const (
	Attr Context = "attr"
	Env  Context = "env"
)

// EnvPrefix stands in front of the names of the environment variables that a
// configuration may read.
const EnvPrefix = "EXTRACTOR_VAR_"

func documentReferences() []Reference {
	return []Reference{
		{Key: Attr, Argument: "NAME", Example: `{"attr": "account.id"}`,
			Where: []Place{InBaseURL, InHeaders, InJobs, InShared, InUserData, InWindows, InRemember, InLogin, InOAuthLogin, InAfterLogin, InLoginRemember, InQueryAuth},
			Doc:   "the value of a key of `config`; nested keys and list indexes are parted by dots"},
		{Key: Env, Argument: "NAME", Example: `{"env": "API_KEY"}`, Secret: true, Where: []Place{InAttributes},
			Doc: "the environment variable `" + EnvPrefix + "NAME`. It is always a secret; an error without it"},
	}
}
