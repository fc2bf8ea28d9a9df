package faults

import "strings"

// scenario is a configuration that is run against the API of this package, and
// the requests of it that a fault may hit.
type scenario struct {
	name string
	// api and config are the members of these sections, beside those that are
	// beside them, and more the other top-level members of the document.
	api, config, beside, more string
	// state is in/state.json; "" for none.
	state string
	// login is how the API wants its requests to be proved; "" for not at all.
	login string
	// packed lets the API compress its responses.
	packed bool
	// kept lets the component keep responses between runs, so that a run that was
	// refused must not spoil the next one.
	kept bool
	// recorded lets the exchanges be kept in a file.
	recorded bool
	places   []place
}

// place is a request of a scenario.
type place struct {
	name string
	is   func(request) bool
}

// renews reports whether new credentials are fetched after a 401.
func (s scenario) renews() bool { return s.login == "X-Token" }

// at is the request with this path and these texts in its query or body.
func at(path string, texts ...string) func(request) bool {
	return func(r request) bool {
		if r.URL.Path != path {
			return false
		}
		sent := r.URL.RawQuery + r.text
		for _, text := range texts {
			if !strings.Contains(sent, text) {
				return false
			}
		}
		return true
	}
}

const offsets = `"pagination": {"method": "offset", "limit": 10}`

const login = `"loginRequest": {"endpoint": "login", "method": "POST"}, "apiRequest": {"headers": {"X-Token": {"response": "token"}}}`

func scenarios() []scenario {
	return []scenario{
		{
			name: "offset paging", api: offsets, config: `"jobs": [{"endpoint": "items"}]`,
			places: []place{{"first page", at("/items", "offset=0")}, {"second page", at("/items", "offset=10")}, {"last page", at("/items", "offset=20")}},
		},
		{
			name:   "POST",
			api:    offsets,
			config: `"jobs": [{"endpoint": "search", "method": "POST", "params": {"q": "x"}}]`,
			places: []place{{"first page", at("/search", `"offset":0`)}, {"second page", at("/search", `"offset":10`)}},
		},
		{
			name:   "paging by a value of the response",
			api:    `"pagination": {"method": "response.param", "responseParam": "next", "queryParam": "page"}`,
			config: `"jobs": [{"endpoint": "feed", "dataField": "rows"}]`,
			places: []place{{"second page", at("/feed", "page=2")}, {"last page", at("/feed", "page=3")}},
		},
		{
			name:   "paging by a cursor",
			api:    `"pagination": {"method": "cursor", "idKey": "id", "param": "since", "increment": 1}`,
			config: `"jobs": [{"endpoint": "since", "dataField": "rows"}]`,
			places: []place{{"second page", at("/since", "since=11")}, {"page without rows", at("/since", "since=25")}},
		},
		{
			name: "child jobs", api: offsets, config: children,
			places: []place{{"parents", at("/users")}, {"first child", at("/users/1/orders", "offset=0")}, {"page of the last child", at("/users/3/orders", "offset=10")}},
		},
		{
			name:   "child jobs side by side",
			api:    `"http": {"concurrency": 4}, ` + offsets,
			config: children,
			places: []place{{"parents", at("/users")}, {"a child", at("/users/2/orders", "offset=0")}, {"page of a child", at("/users/2/orders", "offset=10")}},
		},
		{
			name: "login", login: "X-Token",
			api: `"authentication": {"type": "login", ` + login + `}, ` + offsets, config: `"jobs": [{"endpoint": "items"}]`,
			places: []place{{"login", at("/login")}, {"second page", at("/items", "offset=10")}},
		},
		{
			name: "OAuth 2.0 with refresh", login: "X-Token",
			api:    `"authentication": {"type": "oauth20.login", "expires": {"response": "seconds", "relative": true}, ` + login + `}, ` + offsets,
			config: `"jobs": [{"endpoint": "items"}, {"endpoint": "users"}]`,
			more:   `"authorization": {"oauth_api": {"credentials": {"#data": "{\"refresh_token\": \"refresh-value\"}", "appKey": "id", "#appSecret": "app-secret"}}}, `,
			places: []place{{"login", at("/login")}, {"first page", at("/items", "offset=0")}, {"second job", at("/users")}},
		},
		{
			name: "basic authentication", login: "Authorization",
			api: `"authentication": {"type": "basic"}, ` + offsets, config: `"username": "ann", "#password": "password-value", "jobs": [{"endpoint": "items"}]`,
			places: []place{{"second page", at("/items", "offset=10")}},
		},
		{
			name: "mapping", api: offsets,
			config: `"jobs": [{"endpoint": "items", "dataType": "item"}], "mappings": {"item": {
				"id": {"mapping": {"destination": "ID", "primaryKey": true}}, "name": "NAME", "address.city": "CITY",
				"tags": {"type": "table", "destination": "tag", "tableMapping": {".": {"mapping": {"destination": "TAG"}}}}}}`,
			places: []place{{"first page", at("/items", "offset=0")}, {"last page", at("/items", "offset=20")}},
		},
		{
			name: "cache", api: offsets, config: `"jobs": [{"endpoint": "items"}]`, beside: `"cache": true, `, kept: true,
			places: []place{{"first page", at("/items", "offset=0")}, {"second page", at("/items", "offset=10")}},
		},
		{
			name: "recorded", api: offsets, config: `"jobs": [{"endpoint": "items"}]`, recorded: true,
			places: []place{{"second page", at("/items", "offset=10")}},
		},
		{
			name: "incremental", api: offsets, state: `{"custom": 1, "time": {"previousStart": 1767300000}}`,
			config: `"incrementalOutput": true, "jobs": [{"endpoint": "items", "params": {"changed": {"time": "previousStart"}}}]`,
			places: []place{{"second page", at("/items", "offset=10")}},
		},
		{
			name: "items by their names", api: offsets, config: `"jobs": [{"endpoint": "keyed", "dataField": {"path": "users", "keyAs": "id"}}]`,
			places: []place{{"first page", at("/keyed", "offset=0")}},
		},
		{
			name: "rows that are lists", api: offsets, config: `"jobs": [{"endpoint": "lists", "dataField": {"path": "rows", "columns": "names"}}]`,
			places: []place{{"first page", at("/lists", "offset=0")}},
		},
		{
			name: "parallel lists", api: offsets, config: `"jobs": [{"endpoint": "parallel", "dataField": {"path": "rows", "parallel": true}}]`,
			places: []place{{"first page", at("/parallel", "offset=0")}},
		},
		{
			name: "compressed responses", api: offsets, config: `"jobs": [{"endpoint": "items"}]`, packed: true,
			places: []place{{"first page", at("/items", "offset=0")}},
		},
	}
}

const children = `"jobs": [{"endpoint": "users", "children": [{"endpoint": "users/{id}/orders", "dataType": "orders", "placeholders": {"id": "id"}}]}]`
