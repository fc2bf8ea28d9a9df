package expr

// Request refers to the request before authentication, Query to the parameters in its
// query.
const (
	Request Context = "request"
	Query   Context = "query"
)

func requestReferences() []Reference {
	where := []Site{InQueryAuth, InOAuthRequest}
	return []Reference{
		{Key: Request, Argument: "NAME", Examples: []Example{{`{"request": "url"}`, `"https://api.example.com/v1/items?page=2"`}, {`{"request": "method"}`, `"GET"`}}, Where: where,
			Doc: "A part of the request before authentication: `url`, `path`, `queryString`, `method`, `hostname`, `port`, `resource`."},
		{Key: Query, Argument: "NAME", Examples: []Example{{`{"query": "page"}`, `"2"`}}, Where: where,
			Doc: "A parameter in the query of the request. If it occurs several times: `name.0`, `name.1` and so on."},
	}
}
