package platformapi

import "net/http"

// unsupportedPaths returns paths below a branch that the platform documents and this server
// does not support, with their methods. They get status 501, so that a client does not look
// for a mistake in its URL.
func unsupportedPaths() map[string][]string {
	const get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	return map[string][]string{
		"buckets/{bucket}/tables-async":      {post},
		"buckets/{bucket}/tables-definition": {post},
		"buckets/{bucket}/table-aliases":     {post},
		"buckets/{bucket}/events":            {get},
		"buckets/{bucket}/share":             {post, put, del},
		"tables/{table}/import":              {post},
		"tables/{table}/import-async":        {post},
		"tables/{table}/rows":                {del},
		"tables/{table}/columns":             {post},
		"tables/{table}/columns/{column}":    {del},
		"tables/{table}/primary-key":         {post, del},
		"tables/{table}/snapshots":           {get, post},
		"tables/{table}/events":              {get},
		"files/prepare":                      {post},
		"files/{file}/tags":                  {post},
		"snapshots/{snapshot}":               {get, del},
		"workspaces":                         {get, post},
		"workspaces/{workspace}":             {get, del},
		"tokens":                             {get, post},
		"tokens/{token}":                     {get, put, del},
		"tokens/{token}/refresh":             {post},
		"tokens/{token}/events":              {get},
		"triggers":                           {get, post},
		"triggers/{trigger}":                 {get, put, del},
		"shared-buckets":                     {get},
		"search/tables":                      {get},
		"stats":                              {get},
	}
}

func unsupported() endpoint { return endpoint{unsupported: true} }

func notImplemented(r *http.Request) *refusal {
	return &refusal{
		status: http.StatusNotImplemented, code: "notImplemented",
		message: r.Method + " " + r.URL.Path + " is not supported by the local platform",
	}
}
