package expr

// Request is the request that gets credentials, Query the parameters of its query.
const (
	Request Context = "request"
	Query   Context = "query"
)

func requestReferences() []Reference {
	where := []Place{InQueryAuth, InOAuthRequest}
	return []Reference{
		{Key: Request, Argument: "NAME", Example: `{"request": "url"}`, Where: where,
			Doc: "a part of the request before the authentication: `url`, `path`, `queryString`, `method`, `hostname`, `port`, `resource`"},
		{Key: Query, Argument: "NAME", Example: `{"query": "page"}`, Where: where,
			Doc: "a parameter in the query of the request; of one that occurs several times, `name.0` and so on"},
	}
}
