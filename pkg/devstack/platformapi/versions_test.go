package platformapi_test

import (
	"fmt"
	"strings"
	"testing"
)

func version(number, second int, change, name string, deleted bool) string {
	return fmt.Sprintf(`{"version":%d,"created":"2026-03-04T05:06:%02d+0000","creatorToken":{"id":1,"description":"local"},`+
		`"changeDescription":%q,"name":%q,"description":"","isDisabled":false,"isDeleted":%t}`, number, second, change, name, deleted)
}

// each wants parts of a response.
func (w *world) wants(t *testing.T, method, path, body string, status int, parts ...string) {
	t.Helper()
	got := w.call(method, path, asJSON, body)
	for _, part := range parts {
		if got.status != status || !strings.Contains(got.body, part) {
			t.Errorf("%s %s: %d %s\nwant %d %s", method, path, got.status, got.body, status, part)
		}
	}
}

func TestVersions(t *testing.T) {
	w := newWorld(t)
	const c = configs + "/c"
	w.createConfig("c", `,"configuration":{"a":1},"changeDescription":"first"`)
	w.clock.Add(1)
	w.must("PUT", c, `{"name":"new","configuration":{"a":2},"changeDescription":"second"}`, 200)
	w.clock.Add(1)
	w.must("POST", c+"/rows", `{"rowId":"r","name":"row","configuration":{"b":1}}`, 201)
	w.clock.Add(1)
	w.must("PUT", c+"/rows/r", `{"configuration":{"b":2},"changeDescription":"changed"}`, 200)
	w.must("PUT", c+"/state", `{"state":{"component":{"s":1}}}`, 200)
	missing := func(version string) string {
		return storageError("Version "+version+" not found", "storage.components.configurations.versions.notFound")
	}
	all := []string{version(4, 10, "changed", "new", false), version(3, 9, "Row r added", "new", false), version(2, 8, "second", "new", false), version(1, 7, "first", "n", false)}
	w.run(t, []step{
		{"list", "GET", c + "/versions", "", "", 200, "[" + strings.Join(all, ",") + "]"},
		{"a part of the list", "GET", c + "/versions?offset=1&limit=2", "", "", 200, "[" + strings.Join(all[1:3], ",") + "]"},
		{"after the end", "GET", c + "/versions?offset=4", "", "", 200, "[]"},
		{"named fields", "GET", c + "/versions?include=name,description&limit=1", "", "", 200, "[" + all[0] + "]"},
		{"fields that are not in a list", "GET", c + "/versions?include=state", "", "", 400,
			storageError(`"include" must be "name" or "description"; one version is at versions/NUMBER with its whole content`, "validation")},
		{"too long", "GET", c + "/versions?limit=10001", "", "", 400, storageError(`"limit" must be a whole number from 1 to 10000`, "validation")},
		{"of nothing", "GET", configs + "/x/versions", "", "", 404, storageError(`Configuration "x" not found`, "storage.configuration.notFound")},
		{"no version", "GET", c + "/versions/9", "", "", 404, missing("9")},
		{"no number", "GET", c + "/versions/01", "", "", 404, missing(`"01"`)},
		{"of the row", "GET", c + "/rows/r/versions", "", "", 200, "[" + version(2, 10, "changed", "row", false) + "," + version(1, 9, "", "row", false) + "]"},
		{"of no row", "GET", c + "/rows/x/versions", "", "", 404, storageError(`Row "x" not found`, "storage.components.configurations.rows.notFound")},
		{"rollback to no version", "POST", c + "/versions/9/rollback", asJSON, "{}", 404, missing("9")},
		{"copy without a name", "POST", c + "/versions/1/create", asJSON, "{}", 400, storageError(`"name" is required`, "validation")},
		{"copy of no version", "POST", c + "/versions/9/create", form, "name=n", 404, missing("9")},
		{"copy to an id that is taken", "POST", c + "/versions/1/create", form, "name=n&configurationId=c", 400, storageError(`Configuration "c" already exists`, "configurationAlreadyExists")},
		{"rollback of the row to no version", "POST", c + "/rows/r/versions/9/rollback", asJSON, "{}", 404, missing("9")},
		{"restore of what is not in the trash", "POST", c + "/restore", asJSON, "{}", 404, storageError(`Configuration "c" not found in the trash`, "storage.configuration.notFound")},
	})
	w.wants(t, "GET", c, "", 200, `"created":"2026-03-04T05:06:07+0000"`, `"currentVersion":{"created":"2026-03-04T05:06:10+0000"`)
	w.wants(t, "GET", c+"/versions/1", "", 200, `"name":"n",`, `"configuration":{"a":1},"state":{}`, `"rows":[]`, `"version":1,`)
	w.wants(t, "GET", c+"/versions/3", "", 200, `"created":"2026-03-04T05:06:09+0000"`, `"configuration":{"a":2}`, `"configuration":{"b":1}`)
	w.wants(t, "GET", c+"/rows/r/versions/1", "", 200, `"configuration":{"b":1}`, `"version":1,`)
	w.wants(t, "POST", c+"/versions/1/create", `{"name":"copy","configurationId":"d"}`, 201, `"id":"d","name":"copy"`, `"configuration":{"a":1}`,
		`"changeDescription":"Copied from configuration \"new\" (c) version 1"`)
	w.wants(t, "POST", c+"/rows/r/versions/1/create", `{"targetConfigId":"d"}`, 201, `"configuration":{"b":1}`, `"version":1,`, `"changeDescription":"Copied from row r version 1"`)
	w.wants(t, "POST", c+"/rows/r/versions/1/create", `{"targetConfigId":"x"}`, 404, `Configuration \"x\" not found`)
	w.wants(t, "POST", c+"/rows/r/versions/1/rollback", "", 201, `"configuration":{"b":1}`, `"version":3,`, `"changeDescription":"Rollback to version 1"`)
	w.wants(t, "POST", c+"/versions/2/rollback", `{"changeDescription":"back"}`, 201, `"version":6,"changeDescription":"back"`, `"configuration":{"a":2}`, `"rows":[]`, `"state":{"component":{"s":1}}`)
	w.must("DELETE", c, "", 204)
	w.wants(t, "GET", c+"/versions", "", 404, "not found")
	w.wants(t, "POST", c+"/restore", "", 201, `"version":8,"changeDescription":"Configuration restored"`, `"isDeleted":false`)
	w.wants(t, "GET", c+"/versions?limit=2", "", 200, version(8, 10, "Configuration restored", "new", false), version(7, 10, "Configuration deleted", "new", true))
}

// What clients may also send with a change.
func TestStateAndReasonOfAChange(t *testing.T) {
	w := newWorld(t)
	w.createConfig("c", "")
	w.must("POST", configs+"/c/rows", `{"rowId":"r"}`, 201)
	w.wants(t, "PUT", configs+"/c", `{"state":{"component":{"s":1}}}`, 200, `"state":{"component":{"s":1}}`)
	w.wants(t, "PUT", configs+"/c/rows/r", `{"state":{"component":{"s":2}}}`, 200, `"state":{"component":{"s":2}}`)
	w.must("DELETE", configs+"/c/rows/r?changeDescription=why", "", 204)
	w.wants(t, "GET", configs+"/c", "", 200, `"version":5,"changeDescription":"why"`)
}
