package functional

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestSecretsInNames: an API that returns a secret as the name of a property
// makes tables and columns of it. They are data; no event, error or report shows
// what is left of the secret in their names.
func TestSecretsInNames(t *testing.T) {
	slowtest.SkipRace(t, "it tries every place of a secret")
	t.Parallel()
	long := strings.TrimSuffix(strings.Repeat(canaryMark+"/", 20), "/")
	secrets := map[string]string{
		"of words":      canaryText(1),
		"cut":           long,
		"cut, one word": strings.Repeat(canaryMark, 20),
		"with dashes":   canaryMark + "--=" + canaryMark,
		"letters":       "žluťoučký " + canaryMark + " kůň",
	}
	for i, name := range slices.Sorted(maps.Keys(secrets)) {
		secret := secrets[name]
		quoted, key := jsonText(secret), jsonText("k."+secret+".k")
		responses := map[string]string{
			"column":       `[{` + quoted + `:1}]`,
			"inside":       `[{"outer":{` + key + `:{"inner":1}}}]`,
			"table":        `[{"id":1,` + quoted + `:[{"a":1,"b":[1]}]}]`,
			"two tables":   `[{"id":1,` + quoted + `:[{"a":1}]},{"id":2,` + jsonText(secret+"?") + `:[{"b":2}]}]`,
			"stored twice": `[{` + jsonText("a-"+secret) + `:1,` + jsonText("a_"+secret) + `:1}]`,
			"types":        `[{` + quoted + `:{"a":1}},{` + quoted + `:[[1]]},{` + quoted + `:"b"}]`,
		}
		for j, kind := range slices.Sorted(maps.Keys(responses)) {
			for k, typed := range []string{"", "hints"} {
				if !slowtest.Turn(i+j+k, 2) {
					continue
				}
				t.Run(name+"/"+kind+"/"+typed, func(t *testing.T) {
					t.Parallel()
					namesRun(t, secret, responses[kind], typed)
				})
			}
		}
	}
}

// namesRun runs a configuration twice, the second time with another response, so
// that columns have come and gone.
func namesRun(t *testing.T, secret, response, typed string) {
	w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != secret && r.URL.Query().Get("key") != secret {
			t.Error("a request without the secret")
		}
		write(out, response)
	}))
	w.env["KBC_DATA_TYPE_SUPPORT"] = typed
	w.options.LogFormat = "json"
	config := jsonText(map[string]any{"parameters": map[string]any{
		"api": map[string]any{"baseUrl": "http://api.test/"},
		"config": map[string]any{"debug": true, "outputBucket": "b", "driftWarning": true, "#key": secret,
			"jobs": []any{map[string]any{"endpoint": "t", "params": map[string]any{"key": map[string]any{"attr": "#key"}}}}},
	}})
	for _, response = range []string{response, `[{"id":1,"other":2}]`} {
		_, said := w.showing(t, config)
		searchCanaries(t, said)
		if state := readTree(t, filepath.Join(w.dir, "out"))["state.json"]; state != "" {
			writeFile(t, filepath.Join(w.dir, "in", "state.json"), state)
		}
	}
	if !strings.Contains(strings.ToLower(fmt.Sprint(slices.Collect(maps.Keys(readTree(t, w.dir))))), "b.t") {
		t.Error("there is no table, so that nothing is proved")
	}
}
