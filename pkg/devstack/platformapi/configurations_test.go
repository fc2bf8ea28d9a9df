package platformapi_test

import (
	"fmt"
	"net/url"
	"testing"
)

// record is the record of a configuration without what comes after the state.
func record(id, name, more string, version int, change, document, state string) string {
	return fmt.Sprintf(`{"id":%q,"name":%q,"description":%s,"created":"2026-03-04T05:06:07+0000","creatorToken":{"id":1,"description":"local"},`+
		`"version":%d,"changeDescription":%q,%s,"configuration":%s,"state":%s,`+
		`"currentVersion":{"created":"2026-03-04T05:06:07+0000","creatorToken":{"id":1,"description":"local"},"changeDescription":%q,"versionIdentifier":"%d"}`,
		id, name, `""`, version, change, more, document, state, change, version)
}

const (
	enabled = `"isDisabled":false,"isDeleted":false`
	norows  = `,"rows":[],"rowsSortOrder":[]}`
)

func TestConfigurations(t *testing.T) {
	const document = `{"z":1.50,"a":{"b":"{{x}}","big":12345678901234567890},"html":"<&>","e":1e3,"list":[],"o":{}}`
	w := newWorld(t)
	gone := storageError(`Configuration "1" not found`, "storage.configuration.notFound")
	w.run(t, []step{
		{"form", "POST", configs, form, url.Values{"name": {"n"}, "configuration": {document}}.Encode(), 201,
			record("1", "n", enabled, 1, "", document, "{}") + "}"},
		{"JSON with an object and unknown fields", "POST", "/v2/storage/branch/1/components/acme.ex/configs", asJSON,
			`{"name":"m","configurationId":"my-id","branchId":1,"componentId":"acme.ex","rowsSortOrder":null,"description":null,"configuration":` + document +
				`,"state":{"component":{"a":1.0}},"isDisabled":true,"changeDescription":"first"}`, 201,
			record("my-id", "m", `"isDisabled":true,"isDeleted":false`, 1, "first", document, `{"component":{"a":1.0}}`) + "}"},
		{"JSON with a text and an empty list", "POST", configs, asJSON, `{"name":"t","configuration":"{ \"a\" : [ 1.0 ] }","state":[]}`, 201,
			record("2", "t", enabled, 1, "", `{"a":[1.0]}`, "{}") + "}"},
		{"taken id", "POST", configs, asJSON, `{"name":"m","configurationId":"my-id"}`, 400,
			storageError(`Configuration "my-id" already exists`, "configurationAlreadyExists")},
		{"same id elsewhere", "POST", "/v2/storage/components/other/configs", asJSON, `{"name":"m","configurationId":"my-id"}`, 201,
			record("my-id", "m", enabled, 1, "", "{}", "{}") + "}"},
		{"no name", "POST", configs, form, "configuration=%7B%7D", 400, storageError(`"name" is required`, "validation")},
		{"name of another type", "POST", configs, asJSON, `{"name":{}}`, 400, storageError(`"name" must be a string, not an object`, "validation")},
		{"no JSON in the form", "POST", configs, form, "name=n&configuration=x", 400,
			storageError(`"configuration" is not valid JSON: line 1, column 1: invalid character 'x' at start of value`, "validation")},
		{"nothing in the form", "POST", configs, form, "name=n&configuration=", 400,
			storageError(`"configuration" is not valid JSON: line 1, column 1: unexpected end of the text`, "validation")},
		{"no object in the form", "POST", configs, form, "name=n&state=1", 400, storageError(`"state" must be an object, not a number`, "validation")},
		{"a list", "POST", configs, asJSON, `{"name":"n","configuration":[1]}`, 400, storageError(`"configuration" must be an object, not an array`, "validation")},
		{"odd id", "POST", configs, asJSON, `{"name":"n","configurationId":"a/b"}`, 400,
			storageError(`"configurationId" must be an id of letters, digits, ".", "_" and "-"`, "validation")},
		{"odd truth", "POST", configs, form, "name=n&isDisabled=yes", 400, storageError(`"isDisabled" must be true or false`, "validation")},

		{"detail", "GET", configs + "/1", "", "", 200, record("1", "n", enabled, 1, "", document, "{}") + norows},
		{"unknown", "GET", configs + "/99", "", "", 404, storageError(`Configuration "99" not found`, "storage.configuration.notFound")},
		{"of another component", "GET", "/v2/storage/components/other/configs/1", "", "", 404, gone},

		{"update of a part", "PUT", configs + "/1", form, "name=new&isDisabled=1&changeDescription=why", 200,
			record("1", "new", `"isDisabled":true,"isDeleted":false`, 2, "why", document, "{}") + norows},
		{"update of the document", "PUT", configs + "/1", asJSON, `{"configuration":{"b":2},"isDisabled":false,"name":null}`, 200,
			record("1", "new", enabled, 3, "", `{"b":2}`, "{}") + norows},
		{"update without a name", "PUT", configs + "/1", asJSON, `{"name":""}`, 400, storageError(`"name" must not be empty`, "validation")},
		{"broken update", "PUT", configs + "/1", asJSON, `{"description":[]}`, 400, storageError(`"description" must be a string, not an array`, "validation")},
		{"update of nothing", "PUT", configs + "/99", asJSON, `{}`, 404, storageError(`Configuration "99" not found`, "storage.configuration.notFound")},

		{"state is not a version", "PUT", configs + "/1/state", form, "state=%7B%22component%22%3A%7B%22a%22%3A1.0%7D%7D", 200,
			record("1", "new", enabled, 3, "", `{"b":2}`, `{"component":{"a":1.0}}`) + norows},
		{"no state", "PUT", configs + "/1/state", asJSON, `{}`, 400, storageError(`"state" is required`, "validation")},
		{"state of nothing", "PUT", configs + "/99/state", asJSON, `{"state":{}}`, 404, storageError(`Configuration "99" not found`, "storage.configuration.notFound")},

		{"delete", "DELETE", configs + "/1", "", "", 204, ""},
		{"not there any more", "GET", configs + "/1", "", "", 404, gone},
		{"no update in the trash", "PUT", configs + "/1", asJSON, `{"name":"x"}`, 404, gone},
		{"no state in the trash", "PUT", configs + "/1/state", asJSON, `{"state":{}}`, 404, gone},
		{"no rows in the trash", "POST", configs + "/1/rows", asJSON, `{}`, 404, gone},
		{"id is still taken", "POST", configs, asJSON, `{"name":"m","configurationId":"1"}`, 400,
			storageError(`Configuration "1" already exists`, "configurationAlreadyExists")},
		{"trash", "GET", configs + "?isDeleted=true", "", "", 200,
			"[" + record("1", "new", `"isDisabled":false,"isDeleted":true`, 4, "Configuration deleted", `{"b":2}`, `{"component":{"a":1.0}}`) + norows + "]"},
		{"purge", "DELETE", configs + "/1", "", "", 204, ""},
		{"nothing to purge", "DELETE", configs + "/1", "", "", 404, gone},
		{"empty trash", "GET", configs + "?isDeleted=1", "", "", 200, "[]"},

		{"list", "GET", configs, "", "", 200, "[" + record("2", "t", enabled, 1, "", `{"a":[1.0]}`, "{}") + norows + "," +
			record("my-id", "m", `"isDisabled":true,"isDeleted":false`, 1, "first", document, `{"component":{"a":1.0}}`) + norows + "]"},
		{"list of no component", "GET", "/v2/storage/components/none/configs", "", "", 404, storageError(`Component "none" not found`, "storage.components.notFound")},
		{"odd filter", "GET", configs + "?isDeleted=maybe", "", "", 400, storageError(`"isDeleted" must be true or false`, "validation")},
		{"broken query", "GET", configs + "?isDeleted=%zz", "", "", 400, storageError("The query is not valid", "validation")},
	})
}

// A client may choose the id that the store would give next.
func TestChosenIDsDoNotBlockOthers(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"1", "2", "3"} {
		w.createConfig(id, "")
	}
	if got := w.must("POST", configs, `{"name":"n"}`, 201); got["id"] != "4" {
		t.Errorf("got id %v", got["id"])
	}
	for _, id := range []string{"5", "6"} {
		w.must("POST", configs+"/4/rows", `{"rowId":"`+id+`"}`, 201)
	}
	if got := w.must("POST", configs+"/4/rows", `{}`, 201); got["id"] != "7" {
		t.Errorf("got row id %v", got["id"])
	}
}

func row(id, name string, version int, change, document, state string) string {
	return fmt.Sprintf(`{"id":%q,"name":%q,"description":"","configuration":%s,"state":%s,"isDisabled":false,"version":%d,`+
		`"created":"2026-03-04T05:06:07+0000","creatorToken":{"id":1,"description":"local"},"changeDescription":%q}`,
		id, name, document, state, version, change)
}

func TestRows(t *testing.T) {
	w := newWorld(t)
	w.createConfig("c", "")
	const rows = configs + "/c/rows"
	noRow := storageError(`Row "x" not found`, "storage.components.configurations.rows.notFound")
	a, b := row("a", "first", 1, "", `{"values":[{"name":"n","value":1.0}]}`, "{}"), row("1", "", 1, "why", "{}", `{"s":1}`)
	second := row("a", "new", 2, "", `{"z":1}`, "{}")
	stated := row("a", "new", 2, "", `{"z":1}`, `{"s":2}`)
	whole := func(version int, change, rows, order string) string {
		return record("c", "n", enabled, version, change, "{}", "{}") + `,"rows":[` + rows + `],"rowsSortOrder":[` + order + `]}`
	}
	w.run(t, []step{
		{"form", "POST", rows, form, "rowId=a&name=first&configuration=" + url.QueryEscape(`{"values":[{"name":"n","value":1.0}]}`), 201, a},
		{"JSON without a name", "POST", rows, asJSON, `{"state":{"s":1},"changeDescription":"why"}`, 201, b},
		{"taken id", "POST", rows, asJSON, `{"rowId":"a"}`, 400, storageError(`Row "a" already exists`, "configurationRowAlreadyExists")},
		{"odd id", "POST", rows, asJSON, `{"rowId":".."}`, 400, storageError(`"rowId" must be an id of letters, digits, ".", "_" and "-"`, "validation")},
		{"of nothing", "POST", configs + "/x/rows", asJSON, `{}`, 404, storageError(`Configuration "x" not found`, "storage.configuration.notFound")},
		{"list", "GET", rows, "", "", 200, "[" + a + "," + b + "]"},
		{"detail", "GET", rows + "/a", "", "", 200, a},
		{"unknown", "GET", rows + "/x", "", "", 404, noRow},
		{"versions of the configuration", "GET", configs + "/c", "", "", 200, whole(3, "why", a+","+b, `"a","1"`)},
		{"other order", "PUT", configs + "/c", asJSON, `{"rowsSortOrder":["1"]}`, 200, whole(4, "", b+","+a, `"1","a"`)},
		{"order of unknown rows", "PUT", configs + "/c", asJSON, `{"rowsSortOrder":["x"]}`, 400,
			storageError(`"rowsSortOrder" names row "x", which does not exist`, "validation")},
		{"order as text", "PUT", configs + "/c", form, "rowsSortOrder=" + url.QueryEscape(`["a","1"]`), 200, whole(5, "", a+","+b, `"a","1"`)},
		{"order of another type", "PUT", configs + "/c", asJSON, `{"rowsSortOrder":{}}`, 400, storageError(`"rowsSortOrder" must be a list of row ids`, "validation")},
		{"update", "PUT", rows + "/a", asJSON, `{"name":"new","configuration":{"z":1}}`, 200, second},
		{"update of nothing", "PUT", rows + "/x", asJSON, `{}`, 404, noRow},
		{"broken update", "PUT", rows + "/a", asJSON, `{"configuration":1}`, 400, storageError(`"configuration" must be an object, not a number`, "validation")},
		{"state", "PUT", rows + "/a/state", asJSON, `{"state":{"s":2}}`, 200, stated},
		{"state of nothing", "PUT", rows + "/x/state", asJSON, `{"state":{}}`, 404, noRow},
		{"delete", "DELETE", rows + "/1", "", "", 204, ""},
		{"deleted", "DELETE", rows + "/1", "", "", 404, storageError(`Row "1" not found`, "storage.components.configurations.rows.notFound")},
		{"what is left", "GET", configs + "/c", "", "", 200, whole(7, "Row 1 deleted", stated, `"a"`)},
	})
}
