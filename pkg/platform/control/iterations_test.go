package control

import (
	"fmt"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestWritersAreThoseOfTheComponent: a split judges buckets and increments as
// the component will.
func TestWritersAreThoseOfTheComponent(t *testing.T) {
	const config1 = `"config":{"jobs":[{"endpoint":"e"}],"outputBucket":"b","id":"i","incrementalOutput":true}`
	for name, text := range map[string]string{
		"all of it from config": `{"parameters":{"api":{"baseUrl":"http://a/"},` + config1 + `,"iterations":[{},{"x":1},[]]}}`,
		"replaced":              `{"parameters":{"api":{"baseUrl":"http://a/"},` + config1 + `,"iterations":[{"outputBucket":"c"},{"incrementalOutput":false}]}}`,
		"replaced by nothing":   `{"parameters":{"api":{"baseUrl":"http://a/"},` + config1 + `,"iterations":[{"outputBucket":""},{"outputBucket":null,"id":null},{"incrementalOutput":null}]}}`,
		"other types":           `{"parameters":{"api":{"baseUrl":"http://a/"},` + config1 + `,"iterations":[{"outputBucket":12},{"incrementalOutput":"0"},{"incrementalOutput":"false"},{"incrementalOutput":1}]}}`,
		"ids":                   `{"parameters":{"api":{"baseUrl":"http://a/","name":"crm"},"config":{"jobs":[{"endpoint":"e"}]},"iterations":[{"id":7},{"id":"x"},{}]}}`,
		"no name":               `{"parameters":{"api":{"baseUrl":"http://a/"},"config":{"jobs":[{"endpoint":"e"}]},"iterations":[{"id":"x"}]}}`,
		"without the wrapper":   `{"parameters":{},"api":{"baseUrl":"http://a/"},` + config1 + `,"iterations":[{},{"id":"x","outputBucket":""}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			doc := testvalue.Parse(t, text)
			compiled, problems := config.Compile(doc, config.Options{})
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			n := len(compiled.Iterations)
			var ours, theirs []string
			for _, w := range writers(settingsOf(doc, &failure.Problems{}), groupsOf(byIteration, n, n)) {
				ours = append(ours, fmt.Sprint(w.bucket, " ", w.incremental))
			}
			for _, it := range compiled.Iterations {
				theirs = append(theirs, fmt.Sprint(it.Bucket, " ", it.Incremental))
			}
			if fmt.Sprint(ours) != fmt.Sprint(theirs) {
				t.Errorf("got %q, the component says %q", ours, theirs)
			}
		})
	}
}

// FuzzGroups: the groups are all iterations once and in order, and no group is
// larger than another by more than one.
func FuzzGroups(f *testing.F) {
	for _, seed := range [][2]int{{1, 1}, {5, 3}, {20, 20}, {7, 100}, {100, 7}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, iterationCount, most int) {
		if iterationCount < 1 || iterationCount > 10000 || most < 1 {
			return
		}
		groups := groupsOf(byIteration, iterationCount, most)
		if len(groups) != min(most, iterationCount) {
			t.Fatalf("%d groups", len(groups))
		}
		next, smallest, largest := 0, iterationCount, 0
		for _, g := range groups {
			if g.from != next || g.to <= g.from {
				t.Fatalf("%v after %d", g, next)
			}
			next = g.to
			smallest, largest = min(smallest, g.to-g.from), max(largest, g.to-g.from)
		}
		if next != iterationCount || largest-smallest > 1 {
			t.Errorf("%v", groups)
		}
	})
}

// FuzzSplitting: every accepted text is a number of groups.
func FuzzSplitting(f *testing.F) {
	for _, text := range []string{"iterations", "iterations=3", "iterations=", "iterations=1e3", "iterations=99999999999999999999", "rows=1", "windows", "windows=8", "window=2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := splittingOf(text); err == nil && s.most < 1 || err != nil && s.most != 0 {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	})
}
