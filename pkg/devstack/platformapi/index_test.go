package platformapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// known is what the record of every component has.
const known = `,"version":1,"longDescription":null,"hasUI":false,"hasRun":true,"ico32":null,"ico64":null,"configurationSchema":{},` +
	`"configurationRowSchema":{},"emptyConfiguration":{},"emptyConfigurationRow":{},"configurationDescription":null,"documentationUrl":null,` +
	`"features":[],"categories":[],"expiredOn":null`

func TestIndexAndProject(t *testing.T) {
	w := newWorld(t)
	const head = `{"api":"storage","version":"v2","documentation":"https://keboola.docs.apiary.io/",` +
		`"services":[{"id":"queue","url":"http://HOST/queue"},{"id":"encryption","url":"http://HOST/encryption"},{"id":"notification","url":"http://HOST/notification"}],"features":[],"urlTemplates":{}`
	w.createConfig("c", "")
	w.must("POST", configs+"/c/rows", `{"rowId":"r"}`, 201)
	w.must("POST", "/v2/storage/components/acme.variables/configs", `{"name":"v","configurationId":"v"}`, 201)
	extractor := func(more string) string {
		return `{"id":"acme.ex","name":"acme.ex","type":"extractor","description":"","uri":"http://HOST/v2/storage/components/acme.ex","flags":[],"data":{}` + known + `` + more + `}`
	}
	variables := func(more string) string {
		return `{"id":"acme.variables","name":"acme.variables","type":"other","description":"","uri":"http://HOST/v2/storage/components/acme.variables","flags":[],"data":{}` + known + `` + more + `}`
	}
	// Of a configuration, content, rows and state are optional.
	full := func(id string, version int, change, rows string) (whole, bare string) {
		whole = record(id, strings.Replace(id, "c", "n", 1), enabled, version, change, "{}", "{}")
		bare = strings.NewReplacer(`"configuration":{},`, "", `"state":{},`, "").Replace(whole)
		return whole + rows, bare
	}
	r := `,"rows":[` + row("r", "", 1, "", "{}", "{}") + `],"rowsSortOrder":["r"]}`
	c, bareC := full("c", 2, "Row r added", r)
	v, bareV := full("v", 1, "", norows)
	stateless := strings.NewReplacer(`"state":{},`, "")
	both := func(c, v string) string {
		return "[" + extractor(`,"configurations":[`+c+"]") + "," + variables(`,"configurations":[`+v+"]") + "]"
	}
	w.run(t, []step{
		{"index", "GET", "/v2/storage?exclude=components", "", "", 200, head + "}"},
		{"index with components", "GET", "/v2/storage/", "", "", 200, head + `,"components":[` + extractor("") + "," + variables("") + "]}"},
		{"index without details", "GET", "/v2/storage?exclude=componentDetails", "", "", 200, head + `,"components":[` + extractor("") + "," + variables("") + "]}"},
		{"broken query", "GET", "/v2/storage?a=%zz", "", "", 400, storageError("The query is not valid", "validation")},
		{"index without more", "GET", "/v2/storage?exclude=services", "", "", 400, storageError(`"exclude" must be "components" or "componentDetails"`, "validation")},
		{"components", "GET", "/v2/storage/components", "", "", 200, both(bareC+"}", bareV+"}")},
		{"with content and rows", "GET", "/v2/storage/branch/1/components?include=configuration,rows", "", "", 200,
			stateless.Replace(both(c, v))},
		{"with everything", "GET", "/v2/storage/branch/1/components?include[]=configuration&include[]=rows&include[]=state", "", "", 200, both(c, v)},
		{"with unknown parts", "GET", "/v2/storage/components?include=rows,x", "", "", 400,
			storageError(`"include" must be "configuration", "rows" or "state"`, "validation")},
		{"in the trash", "GET", "/v2/storage/components?isDeleted=1", "", "", 200, "[]"},
		{"component", "GET", "/v2/storage/components/acme.ex", "", "", 200, extractor("")},
		{"unknown component", "GET", "/v2/storage/components/acme.e", "", "", 404, storageError(`Component "acme.e" not found`, "storage.components.notFound")},
		{"notifications", "GET", "/notification/project-subscriptions", "", "", 200, "[]"},
		{"token", "GET", "/v2/storage/tokens/verify", "", "", 200,
			`{"id":"1","description":"local","created":"2026-03-04T05:06:07+0000","refreshed":"2026-03-04T05:06:07+0000","expires":null,` +
				`"isExpired":false,"isDisabled":false,"isMasterToken":true,"canManageBuckets":true,"canManageTokens":false,` +
				`"canReadAllFileUploads":true,"canPurgeTrash":true,"canCreateJobs":true,"bucketPermissions":{},"componentAccess":[],` +
				`"owner":{"id":1,"name":"Local project","type":"production","created":"2026-03-04T05:06:07+0000","expires":null,"features":[],` +
				`"dataSizeBytes":0,"rowsCount":0,"hasMysql":false,"hasSynapse":false,"hasRedshift":false,"hasSnowflake":false,"hasExasol":false,` +
				`"hasTeradata":false,"hasBigquery":false,"isDisabled":false,"metrics":{},"region":"local","defaultBackend":"local","fileStorageProvider":"local","limits":{}},` +
				`"uri":"http://HOST/v2/storage/tokens/1","dailyCapacity":0,"creatorToken":{"id":1,"description":"local"},"organization":{"id":"1"},` +
				`"admin":{"id":1,"name":"local","features":[],"isOrganizationMember":true,"role":"admin"}}`},
		{"branches", "GET", "/v2/storage/dev-branches/", "", "", 200,
			`[{"id":1,"name":"Main","description":"","created":"2026-03-04T05:06:07+0000","isDefault":true,"creatorToken":{"id":1,"description":"local"}}]`},
		{"ticket", "POST", "/v2/storage/tickets/", "", "", 201, `{"id":1}`},
		{"next ticket", "POST", "/v2/storage/tickets", asJSON, "{}", 201, `{"id":2}`},
	})
}

func TestIndexNeedsNoToken(t *testing.T) {
	w := newWorld(t)
	w.must("POST", "/v2/storage/components/acme.used/configs", `{"name":"n"}`, 201)
	for path, want := range map[string]string{
		"/v2/storage": `"id":"acme.used","name":"acme.used"`, "/v2/storage/components/acme.used": `{"id":"acme.used",`,
		"/v2/storage/branch/default/components/acme.ex": `{"id":"acme.ex",`,
	} {
		if got := w.callWith("GET", path, "", http.Header{}); got.status != 200 || !strings.Contains(got.body, want) {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
	if got := w.callWith("GET", "/v2/storage/branch/7/components/acme.ex", "", http.Header{}); got.status != 404 {
		t.Errorf("another branch: %d %s", got.status, got.body)
	}
}

// The address is the one that the client used.
func TestAddressOfTheHostHeader(t *testing.T) {
	w := newWorld(t)
	r, err := http.NewRequest("GET", w.server.URL+"/v2/storage?exclude=components", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "host.docker.internal:1234"
	res, err := w.server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body := new(strings.Builder)
	if err := res.Write(body); err != nil || !strings.Contains(body.String(), `"url":"http://host.docker.internal:1234/queue"`) {
		t.Errorf("%v in %s", err, body)
	}
}

func TestAddressOverTLS(t *testing.T) {
	w, response := newWorld(t), httptest.NewRecorder()
	w.handler.ServeHTTP(response, httptest.NewRequest("GET", "https://laptop.example/v2/storage", nil))
	if !strings.Contains(response.Body.String(), `"url":"https://laptop.example/queue"`) {
		t.Errorf("got %s", response.Body)
	}
}
