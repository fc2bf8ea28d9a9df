package platform_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	configs = storage + "/v2/storage/components/acme.ex/configs"
	jobs    = queue + "/jobs"
)

func toQueue(o *platform.Options) { o.QueueURL = queue }

// recorded responses one request and keeps what was sent.
func recorded(transport *httpmock.MockTransport, method, address, kind, response string) (body *string) {
	body = new(string)
	transport.RegisterResponder(method, address, func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			b, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			*body = string(b)
		}
		if got := r.Header.Get("Content-Type"); got != kind || r.Header.Get("X-StorageApi-Token") != token {
			return nil, fmt.Errorf("content type %q", got)
		}
		response := httpmock.NewStringResponse(201, response)
		response.Header.Set("Content-Type", "application/json")
		return response, nil
	})
	return body
}

func TestCreateConfiguration(t *testing.T) {
	c, transport := mocked(t, nil)
	body := recorded(transport, "POST", configs, "application/x-www-form-urlencoded", `{"id":"12","name":"n","description":""}`)
	content, err := value.Parse([]byte(`{"z":1.50,"a":{"q":"a&b=c é <"},"big":12345678901234567890}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.CreateConfiguration(context.Background(), "acme.ex", "my name", content)
	if err != nil || got.ID != "12" || got.Name != "n" {
		t.Fatalf("got %+v, %v", got, err)
	}
	const want = "configuration=%7B%22z%22%3A1.50%2C%22a%22%3A%7B%22q%22%3A%22a%26b%3Dc+%C3%A9+%3C%22%7D%2C%22big%22%3A12345678901234567890%7D&name=my+name"
	if *body != want {
		t.Errorf("sent %s\nwant %s", *body, want)
	}
}

func TestUpdateConfiguration(t *testing.T) {
	for name, want := range map[string]string{"": "configuration=%7B%22a%22%3A1.50%7D", "n n": "configuration=%7B%22a%22%3A1.50%7D&name=n+n"} {
		c, transport := mocked(t, nil)
		body := recorded(transport, "PUT", configs+"/12", "application/x-www-form-urlencoded", `{"id":"12","name":"n","version":3}`)
		content, err := value.Parse([]byte(`{"a":1.50}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.UpdateConfiguration(context.Background(), "acme.ex", "12", name, content)
		if err != nil || got.ID != "12" || got.Version != "3" {
			t.Fatalf("got %+v, %v", got, err)
		}
		if *body != want {
			t.Errorf("sent %s\nwant %s", *body, want)
		}
	}
}

func TestCreateJob(t *testing.T) {
	const record = `{"id":"99","status":"created","isFinished":false,"result":[]}`
	inline, err := value.Parse([]byte(`{"z":{"n":1.50,"big":12345678901234567890123},"a":["<&>",[],{}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		job  platform.NewJob
		want string
	}{
		"without values": {
			platform.NewJob{Component: "acme.ex", Configuration: "12"},
			`{"component":"acme.ex","config":"12","mode":"run"}`,
		},
		"a text and an integer": {
			platform.NewJob{Component: "acme.ex", Configuration: "12",
				Values: []platform.Variable{{Name: "b", Value: value.OfString("x")}, {Name: "id", Value: value.OfInt(1)}}},
			`{"component":"acme.ex","config":"12","mode":"run","variableValuesData":{"values":[{"name":"b","value":"x"},{"name":"id","value":1}]}}`,
		},
		"inline": {
			platform.NewJob{Component: "acme.ex", ConfigData: inline, Values: []platform.Variable{{Name: "id", Value: value.OfInt(1)}}},
			`{"component":"acme.ex","mode":"run","configData":{"z":{"n":1.50,"big":12345678901234567890123},"a":["<&>",[],{}]},"variableValuesData":{"values":[{"name":"id","value":1}]}}`,
		},
		"inline in the place of a stored one": {
			platform.NewJob{Component: "acme.ex", Configuration: "12", ConfigData: value.OfMembers()},
			`{"component":"acme.ex","config":"12","mode":"run","configData":{}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, transport := mocked(t, nil, toQueue)
			body := recorded(transport, "POST", jobs, "application/json", record)
			got, err := c.CreateJob(context.Background(), tc.job)
			if err != nil || got.ID != "99" || got.Status != "created" || got.Finished {
				t.Fatalf("got %+v, %v", got, err)
			}
			if strings.TrimSpace(*body) != tc.want {
				t.Errorf("sent %s\nwant %s", *body, tc.want)
			}
		})
	}
}

func TestKillJob(t *testing.T) {
	c, transport := mocked(t, nil, toQueue)
	recorded(transport, "POST", jobs+"/99/kill", "", `{"id":"99","status":"processing","desiredStatus":"terminating"}`)
	got, err := c.KillJob(context.Background(), "99")
	if err != nil || got.Status != "processing" || got.DesiredStatus != "terminating" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestWritesAreSentOnce: no matter what goes wrong, one request and no more.
func TestWritesAreSentOnce(t *testing.T) {
	ctx := context.Background()
	calls := map[string]struct {
		request string // method and address
		call    func(*platform.Client) error
	}{
		"configuration": {"POST " + configs, func(c *platform.Client) error {
			_, err := c.CreateConfiguration(ctx, "acme.ex", "n", value.OfMembers())
			return err
		}},
		"update": {"PUT " + configs + "/12", func(c *platform.Client) error {
			_, err := c.UpdateConfiguration(ctx, "acme.ex", "12", "", value.OfMembers())
			return err
		}},
		"job": {"POST " + jobs, func(c *platform.Client) error {
			_, err := c.CreateJob(ctx, platform.NewJob{Component: "acme.ex", Configuration: "12"})
			return err
		}},
		"kill": {"POST " + jobs + "/99/kill", func(c *platform.Client) error { _, err := c.KillJob(ctx, "99"); return err }},
	}
	for what, call := range calls {
		for name, tc := range map[string]struct {
			response
			text      string
			unsettled bool
		}{
			"HTML 401": {response{401, "<html>", "text/html"}, ": 401 Unauthorized", false},
			"404":      {response{404, `{"error":"none","code":"x.notFound","exceptionId":"e1"}`, ""}, ": 404 Not Found: none (code x.notFound, exceptionId e1)", false},
			"409":      {response{409, `{"error":"changed","code":409}`, ""}, ": 409 Conflict: changed (code 409)", false},
			"429":      {response{429, `{}`, ""}, ": 429 Too Many Requests", false},
			"500":      {response{500, `{"error":"` + token + `"}`, ""}, ": 500 Internal Server Error: [hidden]", true},
			"503":      {response{503, `{"reason":"upgrade"}`, ""}, ": 503 Service Unavailable: upgrade", true},
			"no id":    {response{201, `{}`, ""}, ": 200 OK: the response holds no id", true},
			"a list":   {response{201, `[]`, ""}, ": 201 Created: the response is not a JSON object", true},
		} {
			t.Run(what+" "+name, func(t *testing.T) {
				c, transport := mocked(t, map[string]response{call.request: tc.response}, toQueue)
				checkOnce(t, call.call(c), transport, call.request+tc.text, tc.unsettled)
			})
		}
		t.Run(what+" network", func(t *testing.T) {
			c, transport := mocked(t, nil, toQueue)
			method, address, _ := strings.Cut(call.request, " ")
			transport.RegisterResponder(method, address, httpmock.NewErrorResponder(errors.New("reset")))
			checkOnce(t, call.call(c), transport, call.request+": reset", true)
		})
	}
}

func checkOnce(t *testing.T, err error, transport *httpmock.MockTransport, want string, unsettled bool) {
	t.Helper()
	var failed *platform.Error
	if !errors.As(err, &failed) || err.Error() != want || failed.MayHaveSucceeded() != unsettled {
		t.Errorf("got %v, want %q, unsettled %t", err, want, unsettled)
	}
	if n := transport.GetTotalCallCount(); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestReadsAreSettled(t *testing.T) {
	if (&platform.Error{Method: "GET", Status: 500}).MayHaveSucceeded() {
		t.Error("a read changes nothing")
	}
}

func TestConfigurations(t *testing.T) {
	c, _ := mocked(t, map[string]response{"GET " + configs: {200, `[{"id":"1","name":"a","version":3},{"id":2,"name":"b"}]`, ""}})
	got, err := c.Configurations(context.Background(), "acme.ex")
	if err != nil || len(got) != 2 || got[0].ID != "1" || got[0].Name != "a" || got[0].Version != "3" || got[1].ID != "2" || got[1].Version != "" {
		t.Errorf("got %+v, %v", got, err)
	}
	c, _ = mocked(t, map[string]response{"GET " + configs: {200, `{}`, ""}})
	if _, err = c.Configurations(context.Background(), "acme.ex"); err == nil || !strings.HasSuffix(err.Error(), "the response is not a JSON array") {
		t.Errorf("got %v", err)
	}
}

// TestEventsOfManyPages: three pages, the bound of each may be part of it.
func TestEventsOfManyPages(t *testing.T) {
	const all = 2500
	c, transport := mocked(t, nil)
	transport.RegisterResponder("GET", storage+"/v2/storage/events", func(r *http.Request) (*http.Response, error) {
		q := r.URL.Query()
		if q.Get("runId") != "99" || q.Get("limit") != "1000" || q.Get("sinceId") != "0" {
			return nil, fmt.Errorf("query %s", r.URL.RawQuery)
		}
		from := all
		if q.Has("maxId") {
			if _, err := fmt.Sscan(q.Get("maxId"), &from); err != nil {
				return nil, err
			}
		}
		var items []string
		for i := from; i > 0 && len(items) < 1000; i-- {
			items = append(items, fmt.Sprintf(`{"id":%d,"type":"info","created":"c","message":"m%d"}`, i, i))
		}
		response := httpmock.NewStringResponse(200, "["+strings.Join(items, ",")+"]")
		response.Header.Set("Content-Type", "application/json")
		return response, nil
	})
	got, err := c.Events(context.Background(), "99", "0")
	if err != nil || len(got) != all {
		t.Fatalf("%d events, %v", len(got), err)
	}
	for i, e := range got {
		if want := fmt.Sprintf("m%d", i+1); e.Message != want || e.Type != "info" || e.Created != "c" {
			t.Fatalf("event %d is %+v", i, e)
		}
	}
}

func TestEventsOfAServerWithoutBounds(t *testing.T) {
	page := "[" + strings.Repeat(`{"id":"1"},`, 999) + `{"id":"1"}]`
	c, transport := mocked(t, nil)
	transport.RegisterResponder("GET", storage+"/v2/storage/events", httpmock.NewStringResponder(200, page).
		HeaderSet(http.Header{"Content-Type": {"application/json"}}))
	got, err := c.Events(context.Background(), "99", "")
	if err != nil || len(got) != 1 || transport.GetTotalCallCount() != 2 {
		t.Errorf("%d events of %d pages, %v", len(got), transport.GetTotalCallCount(), err)
	}
}

func TestExitCodeOfAJob(t *testing.T) {
	for name, tc := range map[string]struct {
		status, kind string
		want         int
	}{
		"success":           {"success", "", 0},
		"warning":           {"warning", "", 0},
		"user error":        {"error", "user", 1},
		"unclassified":      {"error", "", 1},
		"application error": {"error", "application", 2},
		"terminated":        {"terminated", "", 1},
		"cancelled":         {"cancelled", "", 1},
		"unknown":           {"exploded", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (platform.Job{Status: tc.status, ErrorType: tc.kind}).ExitCode(); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}
