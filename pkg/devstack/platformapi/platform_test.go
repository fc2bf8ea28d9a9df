package platformapi_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/keboola/go-client/pkg/client"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func (w *world) client(token string) *platform.Client {
	w.t.Helper()
	retry := client.TestingRetry()
	retry.TotalRequestTimeout = 10 * time.Second
	c, err := platform.New(platform.Options{URL: w.server.URL, Token: token, Retry: &retry})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// The project's own client makes every call it knows.
func TestOwnClient(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	c := w.client(token)
	document, err := value.Parse([]byte(`{"parameters":{"z":1.50,"a":"{{id}} <é>","big":12345678901234567890,"empty":{}},"variables_id":"v"}`))
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.CreateConfiguration(ctx, "acme.ex", "my name", document)
	if err != nil || made.ID == "" || made.Name != "my name" || made.Content.JSON() != document.JSON() {
		t.Fatalf("created %+v, %v", made, err)
	}
	read, err := c.Configuration(ctx, "acme.ex", made.ID)
	if err != nil || read.Version != "1" || read.Content.JSON() != document.JSON() {
		t.Fatalf("read %+v, %v", read, err)
	}
	list, err := c.Configurations(ctx, "acme.ex")
	if err != nil || len(list) != 1 || list[0].ID != made.ID {
		t.Fatalf("listed %+v, %v", list, err)
	}
	w.must("POST", configs+"/"+made.ID+"/rows", `{"rowId":"r","name":"row","configuration":{"values":[{"name":"id","value":1}]}}`, 201)
	row, err := c.RowContent(ctx, "acme.ex", made.ID, "r")
	if err != nil || row.JSON() != `{"values":[{"name":"id","value":1}]}` {
		t.Fatalf("row %s, %v", row.JSON(), err)
	}
	job, err := c.CreateJob(ctx, platform.NewJob{Component: "acme.ex", Configuration: made.ID, Values: []platform.Variable{
		{Name: "id", Value: value.OfInt(1)}, {Name: "b", Value: value.OfString("x")},
	}})
	if err != nil || job.Status != "created" || job.Configuration != made.ID {
		t.Fatalf("job %+v, %v", job, err)
	}
	data, _, err := c.JobVariables(ctx, job.ID)
	if err != nil || data.JSON() != `{"values":[{"name":"id","value":1},{"name":"b","value":"x"}]}` {
		t.Fatalf("variables %s, %v", data.JSON(), err)
	}
	killed, err := c.KillJob(ctx, job.ID)
	if err != nil || killed.Status != "cancelled" || killed.DesiredStatus != "terminating" || !killed.Finished || killed.Message == "" || killed.Ended == "" {
		t.Fatalf("killed %+v, %v", killed, err)
	}
	whole, err := c.CreateJob(ctx, platform.NewJob{Component: "acme.ex", ConfigData: document})
	if err != nil || whole.Configuration != "" {
		t.Fatalf("job of a whole configuration %+v, %v", whole, err)
	}
	if refused, err := c.Job(ctx, "99"); err == nil {
		t.Errorf("job 99 is %+v", refused)
	} else if want := "GET " + w.server.URL + `/queue/jobs/99: 404 Not Found: Job "99" not found`; !hasPrefix(err, want) {
		t.Errorf("got %v", err)
	}
}

func hasPrefix(err error, text string) bool {
	return len(err.Error()) >= len(text) && err.Error()[:len(text)] == text
}

// More events than one page of the client.
func TestOwnClientReadsAllEvents(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	var added []store.Event
	for i := range 2500 {
		kind := "info"
		if i%10 == 0 {
			kind = "debug"
		}
		added = append(added, store.Event{Component: "c", Type: kind, RunID: "7", Message: "m"})
	}
	stored, err := w.store.AddEvents(added...)
	if err != nil {
		t.Fatal(err)
	}
	c := w.client(token)
	all, err := c.Events(ctx, "7", "")
	if err != nil || len(all) != 2250 || all[0].ID != stored[1].ID || all[2249].ID != stored[2499].ID {
		t.Fatalf("%d events, %v", len(all), err)
	}
	later, err := c.Events(ctx, "7", stored[2490].ID)
	if err != nil || len(later) != 9 {
		t.Errorf("%d later events, %v", len(later), err)
	}
}

func TestOwnClientMeetsFaults(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	c := w.client(token)
	var failed *platform.Error
	// A read is repeated.
	w.setFaults(`[{"path":"` + configs + `","status":503,"headers":{"Retry-After":"1"},"times":2},{"path":"` + configs + `","cut":"before","times":1}]`)
	if _, err := c.Configurations(ctx, "acme.ex"); err != nil {
		t.Errorf("reading: %v", err)
	}
	// A creation whose response is lost is not: there is one afterwards.
	w.setFaults(`[{"method":"POST","path":"/v2","cut":"after"}]`)
	if _, err := c.CreateConfiguration(ctx, "acme.ex", "n", value.OfMembers()); !errors.As(err, &failed) || !failed.MayHaveSucceeded() {
		t.Errorf("creating: %v", err)
	}
	w.setFaults(`[]`)
	if list, err := c.Configurations(ctx, "acme.ex"); err != nil || len(list) != 1 {
		t.Errorf("%d configurations, %v", len(list), err)
	}
	w.setFaults(`[{"method":"POST","path":"/queue/jobs","status":500}]`)
	if _, err := c.CreateJob(ctx, platform.NewJob{Component: "acme.ex", Configuration: "1"}); !errors.As(err, &failed) || failed.Status != 500 || failed.Code != "500" || failed.ExceptionID == "" {
		t.Errorf("job: %v", err)
	}
	if _, err := w.client("wrong").Configurations(ctx, "acme.ex"); !errors.As(err, &failed) || !failed.Refused() || failed.Code != "storage.tokenInvalid" {
		t.Errorf("wrong token: %v", err)
	}
}
