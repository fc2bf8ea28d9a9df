package documents

import (
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// TestFixesAreValid: every setting that the page about troubleshooting recommends is one,
// with a value that it may have.
func TestFixesAreValid(t *testing.T) {
	t.Parallel()
	const api, settings, job = "api", "config", "job"
	places := map[string]string{
		"http": api, "pagination": api, "onIncomplete": settings, "debug": settings, "#key": settings, "dataField": job, "credentials": job,
	}
	fragments := regexp.MustCompile("`(\"([^\"]+)\": [^`]+)`").FindAllStringSubmatch(read(t, troubleshooting), -1)
	if len(fragments) < 8 {
		t.Fatalf("found only %d settings", len(fragments))
	}
	for _, m := range fragments {
		parts := map[string]string{api: `"baseUrl":"https://api.example.com"`, settings: `"outputBucket":"b"`, job: `"endpoint":"users"`}
		place, known := places[m[2]]
		if !known {
			t.Errorf("the test does not know where %s belongs", m[1])
			continue
		}
		parts[place] += "," + m[1]
		if m[2] == "#key" { // it must be used
			parts[job] += `,"params":{"key":{"attr":"#key"}}`
		}
		text := strings.NewReplacer("API", parts[api], "CONFIG", parts[settings], "JOB", parts[job]).
			Replace(`{"parameters":{"api":{API},"config":{CONFIG,"jobs":[{JOB}]}}}`)
		doc, err := config.Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
			continue
		}
		loaded, err := load.Load(t.Context(), doc, load.Options{Strict: true, Secrets: &secret.Registry{}, Getenv: func(string) string { return "x" }})
		if err != nil || len(loaded.Problems) > 0 {
			t.Errorf("%s: %v, %v", m[1], err, loaded.Problems)
		}
	}
}
