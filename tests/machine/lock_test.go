//go:build linux

package machine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
)

// blockedAPI responds to a request to /t only when letGo is called. arrived gets a value for each
// one.
func blockedAPI(t *testing.T) (url string, arrived <-chan struct{}, letGo func()) {
	t.Helper()
	came, release := make(chan struct{}, 16), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		_, _ = fmt.Fprint(w, `[{"id":1}]`) // who asked may be dead
	}))
	t.Cleanup(server.Close)
	return server.URL, came, func() { close(release) }
}

func oneTable(url string) string {
	return fmt.Sprintf(`{"parameters": {"api": {"baseUrl": %q}, "config": {"outputBucket": "b", "jobs": [{"endpoint": "t"}]}}}`, url)
}

// TestTwoRunsInOneDirectory: the second one ends at once and names the first,
// whose tables come; a replay and a sample are runs too. What is killed is not a run
// any more.
func TestTwoRunsInOneDirectory(t *testing.T) {
	t.Parallel()
	url, arrived, letGo := blockedAPI(t)
	data := dataDir(t, oneTable(url))
	lay(t, data, map[string]string{"out/tables/": ""})
	recording := dataDir(t, oneTable(url)) + "/empty.har"
	must(t, os.WriteFile(recording, []byte(`{"log":{"version":"1.2","creator":{"name":"configurable-extractor","version":"dev"},"pages":[{"startedDateTime":"2026-07-01T10:30:45.000Z","id":"run","title":"extractor run","pageTimings":{}}],"entries":[]}}`), 0o644))

	killed := program{}.command(t.Context(), data)
	must(t, killed.Start())
	<-arrived
	must(t, killed.Process.Signal(syscall.SIGKILL))
	_ = killed.Wait() // that it was killed

	first := program{}.command(t.Context(), data)
	var stderr strings.Builder
	first.Stderr = &stderr
	must(t, first.Start())
	<-arrived
	during := files(t, data)
	for _, args := range [][]string{nil, {"--sample", "1"}, {"--replay", recording}} {
		program{args: args}.run(t, data).mustFail(t, 2, fmt.Sprintf("another run (process %d on ", first.Process.Pid), "is using the data directory "+data, "wait until it has ended")
	}
	mustBe(t, "the data directory", files(t, data), during)
	letGo()
	if err := first.Wait(); err != nil {
		t.Errorf("the first run: %v: %s", err, stderr.String())
	}
	if got := tables(t, data); got["b.t"] != "\"id\"\n\"1\"\n" || len(got) != 2 {
		t.Errorf("the tables are %q", got)
	}
	program{}.run(t, data).mustSucceed(t)
}

// TestActionsBesideARun: what writes no tables needs no directory of its own.
func TestActionsBesideARun(t *testing.T) {
	t.Parallel()
	url, arrived, letGo := blockedAPI(t)
	data := dataDir(t, oneTable(url))
	first := program{}.command(t.Context(), data)
	must(t, first.Start())
	<-arrived
	lay(t, data, map[string]string{"config.json": strings.Replace(oneTable(url), `{"parameters"`, `{"action": "validate", "parameters"`, 1)})
	program{}.run(t, data).mustSucceed(t)
	letGo()
	must(t, first.Wait())
}
