package platform

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tests in this file send what clients of the platform send, call by call, in
// their encoding and with all their parameters.

// responded sends a request and returns the members of the response.
func (s *stack) responded(t *testing.T, status int, method, path, kind, body string) map[string]any {
	t.Helper()
	var record map[string]any
	s.call(t, status, method, s.storage+path, kind, body, &record)
	return record
}

// has wants members in a record.
func has(t *testing.T, what string, record map[string]any, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, found := record[name]; !found {
			t.Errorf("%s has no %q, only %q", what, name, slices.Sorted(maps.Keys(record)))
		}
	}
}

// loaded runs a job that loads the tables b.t with the columns id and name.
func (s *stack) loaded(t *testing.T) {
	t.Helper()
	api := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `[{"id":1,"name":"ping"},{"id":2,"name":"pong"},{"id":3,"name":"say \"hi\""}]`)
	})
	config := s.store(t, component, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b","jobs":[{"endpoint":"t"}],
		"mappings":{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"name":"name"}}}}}`, api.url))
	s.become(t, s.start(t, config, "").ID, "success")
}

// fetched is what is behind an address that needs no token.
func (s *stack) fetched(t *testing.T, address string) string {
	t.Helper()
	response, err := s.client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d %s, %v", address, response.StatusCode, text, err)
	}
	return string(text)
}

// TestPythonStorageClient: the functional tests of the Python client of the storage API
// for what a local platform has: buckets, previews, exports, configurations, branches
// and tokens. What needs its cloud storage (uploads, downloads with credentials) is
// refused by name.
func TestPythonStorageClient(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())

	// setUp deletes the bucket, and ignores that it is not there.
	s.responded(t, 404, "DELETE", "/buckets/in.c-py-test-buckets?force=True", "", "")
	created := s.responded(t, 201, "POST", "/buckets", form, "name=py-test-buckets&stage=in&description=Test+bucket")
	if created["id"] != "in.c-py-test-buckets" {
		t.Errorf("created %v", created)
	}
	detail := s.responded(t, 200, "GET", "/buckets/in.c-py-test-buckets", "", "")
	if detail["name"] != "c-py-test-buckets" || detail["description"] != "Test bucket" || detail["uri"] == nil || detail["created"] == nil ||
		fmt.Sprint(detail["tables"], detail["attributes"]) != "[] []" {
		t.Errorf("the bucket is %v", detail)
	}
	s.responded(t, 404, "GET", "/buckets/some-totally-non-existent-bucket", "", "")
	s.responded(t, 404, "GET", "/tables/some-totally-non-existent-table", "", "")
	s.call(t, 204, "DELETE", s.storage+"/buckets/in.c-py-test-buckets?force=True", "", "", nil)

	s.loaded(t)
	table := s.responded(t, 200, "GET", "/tables/in.c-b.t", "", "")
	has(t, "the table", table, "id", "name", "uri", "primaryKey", "columns", "created", "lastImportDate", "lastChangeDate", "rowsCount", "metadata", "bucket",
		"columnMetadata")
	var tables []map[string]any
	s.get(t, s.storage+"/buckets/in.c-b/tables?include=attributes%2Ccolumns", &tables)
	if len(tables) != 1 || tables[0]["id"] != "in.c-b.t" {
		t.Errorf("tables %v", tables)
	}
	const rows = "\"id\",\"name\"\n\"1\",\"ping\"\n\"2\",\"pong\"\n\"3\",\"say \"\"hi\"\"\"\n"
	for query, want := range map[string]string{
		"":                     rows,
		"?columns=name":        "\"name\"\n\"ping\"\n\"pong\"\n\"say \"\"hi\"\"\"\n",
		"?changedUntil=-1+day": "\"id\",\"name\"\n",
		"?changedSince=-1+day&whereColumn=name&whereOperator=neq&whereValues%5B%5D=ping&whereValues%5B%5D=pong": "\"id\",\"name\"\n\"3\",\"say \"\"hi\"\"\"\n",
	} {
		if got, err := s.send(t.Context(), "GET", s.storage+"/tables/in.c-b.t/data-preview"+query, "", ""); err != nil || string(got.body) != want {
			t.Errorf("preview%s: %s, %v", query, got.body, err)
		}
	}
	// export: it waits for the job and returns the id of the file.
	job := s.responded(t, 202, "POST", "/tables/in.c-b.t/export-async", form, "gzip=0&columns=name%2Cid&whereValues%5B%5D=ping&whereColumn=name&whereOperator=eq")
	job = s.responded(t, 200, "GET", fmt.Sprintf("/jobs/%.0f", job["id"]), "", "")
	var done struct {
		Status  string
		Results struct{ File struct{ ID int } }
	}
	decode(t, job, &done)
	if done.Status != "success" || done.Results.File.ID == 0 {
		t.Errorf("the job is %v", job)
	}
	file := s.responded(t, 200, "GET", fmt.Sprint("/files/", done.Results.File.ID), "", "")
	if got := s.fetched(t, file["url"].(string)); got != "\"name\",\"id\"\n\"ping\",\"1\"\n" {
		t.Errorf("the file is %q", got)
	}
	if refused := s.responded(t, 501, "GET", fmt.Sprint("/files/", done.Results.File.ID, "?federationToken=true"), "", ""); !strings.Contains(refused["error"].(string), "federationToken") {
		t.Errorf("refused with %v", refused)
	}
	if refused := s.responded(t, 501, "POST", "/files/prepare", form, "isPublic=0&name=a.csv"); !strings.Contains(refused["error"].(string), "/files/prepare") {
		t.Errorf("refused with %v", refused)
	}
	s.call(t, 204, "DELETE", s.storage+"/files/"+strconv.Itoa(done.Results.File.ID), "", "", nil)
	s.call(t, 204, "DELETE", s.storage+"/tables/in.c-b.t", "", "", nil)
	s.responded(t, 404, "GET", "/tables/in.c-b.t", "", "")

	// Configurations, with branch/default in the path.
	stored := s.responded(t, 201, "POST", "/branch/default/components/acme.py/configs", jsonBody,
		`{"name":"test_create_configuration","description":"","configuration":{},"state":{},"changeDescription":"","isDisabled":false}`)
	has(t, "the configuration", stored, "id", "name", "description", "configuration")
	var listed []map[string]any
	s.get(t, s.storage+"/branch/default/components?include=configuration", &listed)
	for _, c := range listed {
		has(t, "the component", c, "id", "name", "type", "uri")
	}
	s.get(t, s.storage+"/branch/default/components/acme.py/configs", &listed)
	if len(listed) != 1 || listed[0]["name"] != "test_create_configuration" {
		t.Errorf("configurations %v", listed)
	}
	path := "/branch/default/components/acme.py/configs/" + stored["id"].(string)
	var metadata []map[string]any
	s.call(t, 201, "POST", s.storage+path+"/metadata", jsonBody, `{"metadata":[{"key":"KBC.x","value":"1"}]}`, nil)
	s.get(t, s.storage+path+"/metadata", &metadata)
	if len(metadata) != 1 || metadata[0]["key"] != "KBC.x" || metadata[0]["value"] != "1" {
		t.Errorf("metadata %v", metadata)
	}
	for _, missing := range []string{"/workspaces", "/triggers"} {
		if refused := s.responded(t, 501, "POST", "/branch/default"+missing, jsonBody, "{}"); !strings.Contains(refused["error"].(string), missing) {
			t.Errorf("refused with %v", refused)
		}
	}
	s.call(t, 204, "DELETE", s.storage+path, "", "", nil)
	s.responded(t, 404, "GET", path, "", "")

	var branches []map[string]any
	s.get(t, s.storage+"/dev-branches", &branches)
	if len(branches) != 1 || branches[0]["isDefault"] != true {
		t.Errorf("branches %v", branches)
	}
	if branch := s.responded(t, 200, "GET", "/dev-branches/default", "", ""); branch["id"] != branches[0]["id"] {
		t.Errorf("the default branch is %v", branch)
	}
	s.responded(t, 404, "GET", "/dev-branches/77", "", "")
}

// TestPHPStorageClient: the calls that the PHP client of the storage API begins with.
func TestPHPStorageClient(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	has(t, "the index", s.responded(t, 200, "GET", "", "", ""), "services", "components", "features", "urlTemplates")
	for _, path := range []string{"/tokens/verify", "/branch/1/tokens/verify", "/branch/default/tokens/verify"} {
		verified := s.responded(t, 200, "GET", path, "", "")
		has(t, "the token", verified, "id", "description", "uri", "created", "refreshed", "isMasterToken", "canManageBuckets", "canManageTokens",
			"canReadAllFileUploads", "canPurgeTrash", "expires", "isExpired", "isDisabled", "dailyCapacity", "creatorToken", "bucketPermissions", "owner",
			"organization", "admin")
		has(t, "its project", verified["owner"].(map[string]any), "id", "name", "type", "region", "created", "expires", "features", "dataSizeBytes", "rowsCount",
			"hasMysql", "hasRedshift", "hasSnowflake", "hasSynapse", "hasExasol", "hasTeradata", "hasBigquery", "defaultBackend", "limits", "metrics",
			"isDisabled", "fileStorageProvider")
	}
	s.responded(t, 404, "GET", "/branch/2/tokens/verify", "", "")
	has(t, "the ticket", s.responded(t, 201, "POST", "/tickets", form, ""), "id")

	s.responded(t, 201, "POST", "/buckets", form, "name=main&stage=in&description=")
	var buckets []map[string]any
	s.get(t, s.storage+"/buckets?include=metadata", &buckets)
	if len(buckets) != 1 || buckets[0]["displayName"] != "main" {
		t.Errorf("buckets %v", buckets)
	}
	s.call(t, 204, "DELETE", s.storage+"/buckets/in.c-main?force=1", "", "", nil)

	s.loaded(t)
	refused := s.responded(t, 400, "GET", "/tables/in.c-b.t/data-preview?format=csv", "", "")
	if refused["code"] != "storage.tables.validation.invalidFormat" {
		t.Errorf("refused with %v", refused)
	}
	if refused := s.responded(t, 400, "DELETE", "/buckets/in.c-b?", "", ""); refused["code"] != "buckets.deleteNotEmpty" {
		t.Errorf("refused with %v", refused)
	}
	query := url.Values{
		"limit": {"10"}, "changedSince": {"-1 hour"}, "format": {"rfc"}, "whereFilters[0][column]": {"id"}, "whereFilters[0][operator]": {"gt"},
		"whereFilters[0][values][0]": {"1"}, "whereFilters[0][dataType]": {"INTEGER"}, "orderBy[0][column]": {"id"}, "orderBy[0][order]": {"DESC"},
		"fulltextSearch": {"p"}, "columns": {"id"},
	}
	got, err := s.send(t.Context(), "GET", s.storage+"/tables/in.c-b.t/data-preview?"+query.Encode(), "", "")
	if err != nil || string(got.body) != "\"id\"\n\"2\"\n" {
		t.Errorf("preview: %s, %v", got.body, err)
	}
	job := s.responded(t, 202, "POST", "/tables/in.c-b.t/export-async", form, query.Encode())
	has(t, "the job", job, "id", "status", "url", "tableId", "operationName", "operationParams", "createdTime", "startTime", "endTime", "runId", "results",
		"creatorToken", "metrics")
	var files []map[string]any
	s.get(t, s.storage+"/files?limit=100&offset=0&showExpired=0", &files)
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	has(t, "the file", files[0], "id", "name", "url", "created", "isPublic", "isSliced", "isEncrypted", "isPermanent", "maxAgeDays", "provider", "region",
		"sizeBytes", "tags", "creatorToken", "runId")
	if text := s.fetched(t, files[0]["url"].(string)); text != "\"id\"\n\"2\"\n" {
		t.Errorf("the file is %q", text)
	}

	s.responded(t, 201, "POST", "/events", form, url.Values{
		"component": {"ex-sfdc"}, "configurationId": {"account-01"}, "runId": {"ddddssss"}, "message": {"Table Opportunity fetched."},
		"description": {"Some longer description"}, "type": {"info"}, "params": {`{"accountName":"x"}`}, "results": {"[]"}, "duration": {"200"},
	}.Encode())
	var events []map[string]any
	s.get(t, s.storage+"/events?limit=100&offset=0&q="+url.QueryEscape(`type:info AND message:"opportunity fetched"`), &events)
	if len(events) != 1 || events[0]["runId"] != "ddddssss" || events[0]["objectId"] != nil {
		t.Errorf("events %v", events)
	}
	for method, paths := range map[string][]string{
		"POST": {"/buckets/in.c-b/tables-async", "/buckets/in.c-b/tables-definition", "/tables/in.c-b.t/import-async", "/files/prepare", "/buckets/in.c-b/table-aliases",
			"/tables/in.c-b.t/snapshots", "/workspaces", "/tokens", "/dev-branches"},
		"GET": {"/tokens", "/tables/in.c-b.t/snapshots", "/workspaces"},
	} {
		for _, missing := range paths {
			if refused := s.responded(t, 501, method, missing, "", ""); !strings.Contains(refused["error"].(string), missing) {
				t.Errorf("%s %s: refused with %v", method, missing, refused)
			}
		}
	}
	for _, query := range []string{": success", "success:", "/GET", "*tables*"} {
		if refused := s.responded(t, 400, "GET", "/events?q="+url.QueryEscape(query), "", ""); !strings.HasPrefix(refused["error"].(string), "Failed to parse query") {
			t.Errorf("%s: refused with %v", query, refused)
		}
	}
}

// TestPHPQueueClient: the calls of the functional tests of the PHP client of the
// queue.
func TestPHPQueueClient(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	api := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
		<-release
		fmt.Fprint(w, `[{"id":1}]`)
	})
	t.Cleanup(func() { close(release) })
	s := serve(t, t.TempDir())
	config := s.store(t, component, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"jobs":[{"endpoint":"t"}]}}}`, api.url))
	var ids []string
	for _, body := range []string{
		fmt.Sprintf(`{"component":%q,"config":%q,"mode":"run","configRowIds":[],"tag":null,"branchId":null,"configData":[]}`, component, config),
		fmt.Sprintf(`{"component":%q,"config":%q,"mode":"run","configRowIds":[],"tag":null,"branchId":"default","configData":[]}`, component, config),
		fmt.Sprintf(`{"component":%q,"config":null,"mode":"run","configRowIds":[],"tag":null,"branchId":null,"configData":{"parameters":{"foo":"bar"}}}`, component),
		fmt.Sprintf(`{"component":%q,"config":"","mode":"run","configRowIds":[],"tag":null,"branchId":null,"configData":[]}`, component),
	} {
		ids = append(ids, s.startWith(t, body).ID)
	}
	for query, want := range map[string][]string{
		"":        {ids[3], ids[2], ids[1], ids[0]},
		"limit=2": {ids[3], ids[2]},
		"component[0]=" + component + "&config[0]=" + config:                                                                                {ids[1], ids[0]},
		"config[0]=" + config + "&projectId[0]=1&tokenId[0]=1&branchId=default":                                                             {ids[1], ids[0]},
		"config[0]=" + config + "&createdTimeFrom=-1+hour&createdTimeTo=" + url.QueryEscape(time.Now().Add(time.Hour).Format(time.RFC3339)): {ids[1], ids[0]},
		"config[0]=" + config + "&sortBy=createdTime&sortOrder=asc&type=standard&parentRunId=":                                              {ids[0], ids[1]},
		"config[0]=" + config + "&durationSecondsFrom=3600":                                                                                 {},
		"configRowIds[0]=x&offset=0&limit=100&sortOrder=desc":                                                                               {},
	} {
		var jobs []job
		s.get(t, s.queue+"/search/jobs?"+query, &jobs)
		found := []string{}
		for _, j := range jobs {
			found = append(found, j.ID)
		}
		if fmt.Sprint(found) != fmt.Sprint(want) {
			t.Errorf("%s: jobs %v, want %v", query, found, want)
		}
	}
	s.become(t, ids[0], "processing")
	var killed job
	s.call(t, 200, "POST", s.queue+"/jobs/"+ids[0]+"/kill", jsonBody, "", &killed)
	if killed.DesiredStatus != "terminating" {
		t.Errorf("killed %+v", killed)
	}
	s.become(t, ids[0], "terminated")
	s.call(t, 200, "POST", s.queue+"/jobs/"+ids[1]+"/kill", jsonBody, "", nil)
	s.call(t, 400, "GET", s.queue+"/search/jobs?nosuch=1", "", "", nil)
	for _, missing := range []string{"/stats/project", "/job/" + ids[0] + "/open-api-lineage"} {
		var refused struct{ Error string }
		if s.call(t, 404, "GET", s.queue+missing, "", "", &refused); !strings.Contains(refused.Error, missing) {
			t.Errorf("refused with %+v", refused)
		}
	}
}

// decode reads a record into a struct.
func decode(t *testing.T, record map[string]any, result any) {
	t.Helper()
	text, err := json.Marshal(record)
	if err == nil {
		err = json.Unmarshal(text, result)
	}
	if err != nil {
		t.Fatal(err)
	}
}
