package platform

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// disturb sets the faults on demand.
func (s *stack) disturb(t *testing.T, faults string) {
	t.Helper()
	s.call(t, http.StatusOK, http.MethodPut, s.faultsAddress(), jsonBody, faults, nil)
}

func (s *stack) faultsAddress() string {
	return strings.TrimSuffix(s.storage, "/v2/storage") + "/faults"
}

// unused is how many faults have not happened yet.
func (s *stack) unused(t *testing.T) int {
	t.Helper()
	var left []any
	s.get(t, s.faultsAddress(), &left)
	return len(left)
}

// TestLostResponses: the extractor never repeats what creates something, and says
// what to look at.
func TestLostResponses(t *testing.T) {
	rows := []struct {
		name, fault string
		push        bool
		exit        int
		stderr      string
		created     int
	}{
		{"job, response lost", `{"method":"POST","path":"/queue/jobs","cut":"after","times":1}`, false,
			2, "the job may run nevertheless: look on the platform before starting it again", 1},
		{"job, request lost", `{"method":"POST","path":"/queue/jobs","cut":"before","times":1}`, false,
			2, "the job may run nevertheless: look on the platform before starting it again", 0},
		{"job, server failed", `{"method":"POST","path":"/queue/jobs","status":503,"headers":{"Retry-After":"1"},"times":1}`, false,
			2, "503 Service Unavailable", 0},
		{"job, refused", `{"method":"POST","path":"/queue/jobs","status":403,"times":1}`, false, 1, "403 Forbidden: Fault on demand", 0},
		{"configuration, response lost", `{"method":"POST","path":"/v2/storage","cut":"after","times":1}`, true, 2, "before", 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, t.TempDir(), "--extractor", "true")
			config := s.store(t, component, `{"parameters":{}}`)
			s.disturb(t, "["+row.fault+","+row.fault+"]")
			args := []string{"job", "run", "--config", config}
			if row.push {
				args = []string{"config", "push", save(t, "config.json", `{"parameters":{}}`)}
			}
			s.extractor(t, args...).want(t, row.exit, "", row.stderr)
			if left := s.unused(t); left != 1 {
				t.Errorf("%d of 2 faults are left: the request was not sent once", left)
			}
			var jobs, configs []any
			s.get(t, s.queue+"/search/jobs", &jobs)
			s.get(t, s.configs(component), &configs)
			want := [2]int{row.created, 1}
			if row.push {
				want = [2]int{0, 1 + row.created}
			}
			if got := [2]int{len(jobs), len(configs)}; got != want {
				t.Errorf("%v jobs and configurations, want %v", got, want)
			}
			if ended := s.finished(t); len(ended["success"]) != len(jobs) {
				t.Errorf("jobs ended as %v", ended)
			}
		})
	}
}

// TestReadsAreRepeated: faults that pass do not stop who only reads, neither the
// component nor the client.
func TestReadsAreRepeated(t *testing.T) {
	t.Parallel()
	api := pages(t, nil)
	s := serve(t, t.TempDir())
	declared := s.declare(t, "endpoint")
	config := s.store(t, component, with(oneJob(api.url, "{{endpoint}}"), "variables_id", declared))
	s.disturb(t, `[{"method":"GET","path":"/v2/storage/components/keboola.variables","status":500,"times":1},
		{"method":"GET","path":"/v2/storage/events","cut":"before","times":1}]`)
	done := s.extractor(t, "job", "run", "--config", config, "--var", "endpoint=x", "--wait")
	done.want(t, 0, "Replaced values for variables: endpoint", "")
	if left := s.unused(t); left != 0 {
		t.Errorf("%d faults did not happen", left)
	}
	if got := fmt.Sprint(api.arrived()); got != "[GET /x]" {
		t.Errorf("requests %s", got)
	}
}
