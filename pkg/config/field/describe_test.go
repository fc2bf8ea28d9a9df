package field

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
)

func TestDescribe(t *testing.T) {
	long := strings.Repeat("č", 41)
	rows := []struct{ pointer, in, want string }{
		{"/config/jobs/0/endpoint", `"users"`, `"users"`},
		{"/config/jobs/0/endpoint", `"a\"b\n"`, `"a\"b\n"`},
		{"/config/jobs/0/endpoint", `"` + long + `"`, `"` + long[:80] + `…"`},
		{"/config/jobs/0/endpoint", `"users?token=s3cret"`, `"users?[hidden]"`},
		{"/api/baseUrl", `"https://ann:s3c/r?e@t@h.test/a?key=s3cret#x"`, `"https://[hidden]@h.test/a?[hidden]"`},
		{"/api/pagination/limit", `-1.50`, `-1.50`},
		{"/api/pagination/limit", strings.Repeat("1", 50), strings.Repeat("1", 40) + "…"},
		{"/config/debug", `true`, `true`},
		{"/config/debug", `false`, `false`},
		{"/config/debug", `null`, `null`},
		{"/config/debug", `""`, `an empty string`},
		{"/config/debug", `[]`, `an empty list`},
		{"/config/debug", `["s3cret",1]`, `a list of 2`},
		{"/config/debug", `{}`, `an empty object`},
		{"/config/debug", `{"a":"s3cret"}`, `an object`},
		{"", `"x"`, `"x"`},
		// Names of settings that look like secrets but are none.
		{"/api/authentication/type", `"logn"`, `"logn"`},
		{"/api/pagination/urlKey", `5`, `5`},
		{"/api/pagination/idKey", `true`, `true`},
		{"/config/mappings/x/a/parentKey/primaryKey", `"x"`, `"x"`},
		// What may be a secret.
		{"/config/#token", `"s3cret"`, `a string`},
		{"/config/#token", `12345`, `a number`},
		{"/config/#token", `true`, `a boolean`},
		{"/config/#db/host", `"s3cret"`, `a string`},
		{"/authorization/oauth_api/x", `"s3cret"`, `a string`},
		{"/api/http/headers/X-Any", `"s3cret"`, `a string`},
		{"/api/http/headers", `"s3cret"`, `a string`},
		{"/config/jobs/0/params/a", `"s3cret"`, `a string`},
		{"/api/authentication/query", `"s3cret"`, `a string`},
		{"/config/password", `"s3cret"`, `a string`},
		{"/config/db/apiKey", `"s3cret"`, `a string`},
		{"/config/Access_Token", `"s3cret"`, `a string`},
		{"/api/caCertificate", `"s3cret"`, `a string`},
	}
	for _, row := range rows {
		t.Run(row.pointer+" "+row.want, func(t *testing.T) {
			if got := Describe(row.pointer, testvalue.Parse(t, row.in)).String(); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}
