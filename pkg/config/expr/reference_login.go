package expr

// Authorization, Consumer and User refer to the credentials that the platform passes
// after an authorization.
const (
	Authorization Context = "authorization"
	Consumer      Context = "consumer"
	User          Context = "user"
)

func loginReferences() []Reference {
	return []Reference{
		{Key: Authorization, Argument: "NAME", Examples: []Example{{`{"authorization": "data.access_token"}`, `"a-5"`}}, Where: []Site{InOAuthRequest},
			Doc: "A part of the authorization: `clientId`, `timestamp`, `nonce` or `data`; `data.PATH` if the data is JSON."},
		{Key: Consumer, Argument: "NAME", Examples: []Example{{`{"consumer": "client_id"}`, `"my-app"`}}, Where: []Site{InOAuthLogin},
			Doc: "`client_id` or `client_secret` of the application."},
		{Key: User, Argument: "PATH", Examples: []Example{{`{"user": "refresh_token"}`, `"r-5"`}}, Where: []Site{InOAuthLogin},
			Doc: "The value at the path in `#data` of the authorization."},
	}
}
