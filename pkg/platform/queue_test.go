package platform_test

import (
	"context"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/platform"
)

const services = `{"api":"storage","services":[{"id":"vault","url":"https://vault.example.com"},{"id":"queue","url":"https://queue.example.com"}]}`

func TestJob(t *testing.T) {
	for name, tc := range map[string]struct{ body, id, row, data string }{
		"inline values": {
			`{"id":"99","variableValuesId":null,"variableValuesData":{"values":[{"name":"n","value":1}]}}`,
			"99", "", `{"values":[{"name":"n","value":1}]}`,
		},
		"row of values":    {`{"id":"99","variableValuesId":"7","variableValuesData":[]}`, "99", "7", `[]`},
		"numbers as ids":   {`{"id":99,"variableValuesId":7}`, "99", "7", `null`},
		"neither":          {`{"id":"99","result":[]}`, "99", "", `null`},
		"empty row and []": {`{"id":"99","variableValuesId":"","variableValuesData":[]}`, "99", "", `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := mocked(t, map[string]response{index: {200, services, ""}, job: {200, tc.body, ""}})
			got, err := c.Job(context.Background(), "99")
			if err != nil {
				t.Fatal(err)
			}
			if got.ID != tc.id || got.VariableValuesID != tc.row || got.VariableValuesData.JSON() != tc.data {
				t.Errorf("got %+v with %s", got, got.VariableValuesData.JSON())
			}
			data, row, err := c.JobVariables(context.Background(), "99")
			if err != nil || data.JSON() != tc.data || row != tc.row {
				t.Errorf("variables %s, %q, %v", data.JSON(), row, err)
			}
		})
	}
}

func TestQueueURL(t *testing.T) {
	const unusable = "GET " + storage + "/v2/storage: 200 OK: the index names no usable address of the service queue"
	for name, tc := range map[string]struct{ body, want, err string }{
		"named by the index":  {services, queue, ""},
		"slash at the end":    {`{"services":[{"id":"queue","url":"https://queue.example.com/"}]}`, queue, ""},
		"path is kept":        {`{"services":[{"id":"queue","url":"http://localhost:8080/queue"}]}`, "http://localhost:8080/queue", ""},
		"no services":         {`{"services":[]}`, "", unusable},
		"other services only": {`{"services":[{"id":"vault","url":"https://vault.example.com"}]}`, "", unusable},
		"not an address":      {`{"services":[{"id":"queue","url":"queue"}]}`, "", unusable},
		"not a list":          {`{"services":{"queue":"https://queue.example.com"}}`, "", unusable},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := mocked(t, map[string]response{index: {200, tc.body, ""}})
			got, err := c.QueueURL(context.Background())
			if got != tc.want || text(err) != tc.err {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestIndexIsAskedOnce(t *testing.T) {
	c, transport := mocked(t, map[string]response{index: {200, services, ""}, job: {200, `{"id":"99"}`, ""}})
	for range 3 {
		if _, err := c.Job(context.Background(), "99"); err != nil {
			t.Fatal(err)
		}
	}
	if n := transport.GetCallCountInfo()[index]; n != 1 {
		t.Errorf("the index was asked %d times", n)
	}
}

func TestGivenQueueURL(t *testing.T) {
	c, transport := mocked(t, map[string]response{"GET http://localhost:1/q/jobs/99": {200, `{"id":"99"}`, ""}},
		func(o *platform.Options) { o.QueueURL = "http://localhost:1/q/" })
	if _, err := c.Job(context.Background(), "99"); err != nil {
		t.Fatal(err)
	}
	if n := transport.GetTotalCallCount(); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestRecordsDoNotMix(t *testing.T) {
	responses := map[string]response{
		index:                        {200, services, ""},
		job:                          {200, `{"id":"99","variableValuesId":"7"}`, ""},
		"GET " + queue + "/jobs/100": {200, `{"id":"100"}`, ""},
	}
	c, _ := mocked(t, responses)
	for id, row := range map[string]string{"99": "7", "100": ""} {
		got, err := c.Job(context.Background(), id)
		if err != nil || got.ID != id || got.VariableValuesID != row {
			t.Errorf("job %s: %+v, %v", id, got, err)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
