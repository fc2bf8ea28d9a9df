package expr

// Authorization, Consumer and User are the credentials that the platform hands over
// after an authorization.
const (
	Authorization Context = "authorization"
	Consumer      Context = "consumer"
	User          Context = "user"
)

func loginReferences() []Reference {
	return []Reference{
		{Key: Authorization, Argument: "NAME", Example: `{"authorization": "data.access_token"}`, Where: []Place{InOAuthRequest},
			Doc: "`clientId`, `timestamp`, `nonce`, and `data` (or `data.PATH` where it is JSON) of the authorization"},
		{Key: Consumer, Argument: "NAME", Example: `{"consumer": "client_id"}`, Where: []Place{InOAuthLogin},
			Doc: "`client_id` or `client_secret` of the application"},
		{Key: User, Argument: "PATH", Example: `{"user": "refresh_token"}`, Where: []Place{InOAuthLogin},
			Doc: "the value at the path in `#data` of the authorization"},
	}
}
