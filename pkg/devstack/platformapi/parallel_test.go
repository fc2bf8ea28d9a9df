package platformapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// Two hundred clients at once: what was acknowledged is what is there, each once.
func TestParallelCreations(t *testing.T) {
	slowtest.Skip(t, "it makes hundreds of configurations")
	const clients = 200
	w := newWorld(t)
	w.createConfig("shared", "")
	var mu sync.Mutex
	acknowledged := map[string][]string{}
	create := func(path, body string) error {
		r, err := http.NewRequest("POST", w.server.URL+path, strings.NewReader(body))
		if err != nil {
			return err
		}
		r.Header = http.Header{"X-Storageapi-Token": {token}, "Content-Type": {asJSON}}
		res, err := w.server.Client().Do(r)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		var record struct{ ID string }
		if err := json.Unmarshal(text, &record); err != nil || res.StatusCode != 201 || record.ID == "" {
			return fmt.Errorf("%s: %s %s", path, res.Status, text)
		}
		mu.Lock()
		defer mu.Unlock()
		acknowledged[path] = append(acknowledged[path], record.ID)
		return nil
	}
	const rows = configs + "/shared/rows"
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() {
			own := `{"name":"n"}`
			if i%4 == 0 { // ids that the store gives to others
				own = fmt.Sprintf(`{"name":"n","configurationId":"%d"}`, 10_000+i)
			}
			for path, body := range map[string]string{configs: own, rows: `{}`, jobs: `{"component":"acme.ex","config":"shared"}`} {
				if err := create(path, body); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	acknowledged[configs] = append(acknowledged[configs], "shared")
	for path, list := range map[string]string{configs: configs, rows: rows, jobs: jobs + "?limit=1000"} {
		want := acknowledged[path]
		slices.Sort(want)
		got := strings.Fields(w.found(list))
		slices.Sort(got)
		if len(slices.Compact(slices.Clone(got))) != len(got) || !slices.Equal(got, want) {
			t.Errorf("%s: %d acknowledged, %d there", path, len(want), len(got))
		}
	}
	if got := w.must("GET", configs+"/shared", "", 200); got["version"] != float64(1+clients) {
		t.Errorf("version %v after %d rows", got["version"], clients)
	}
}
