package engine

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// remembered runs a job of these items once for each list, after a run that left a value.
func remembered(t *testing.T, m rememberEntry, before string, runs ...string) (now string, err error) {
	t.Helper()
	var s state.Remembered
	document := state.Open(testvalue.Parse(t, `{"remembered":{"n":`+before+`}}`), &s)
	memory := s.ForIteration("", []state.Name{{Name: "n", Per: len(m.per) > 0}}, func(text string) { t.Error(text) })
	secrets := &secret.Registry{}
	jobs := &jobsLedger{runLedger: &runLedger{log: event.NewLog(event.Discard{}, secrets, nil)}, secrets: secrets, iterationValues: memory, statistics: statistics{}}
	j := &job{remembers: []rememberEntry{m}}
	for i, items := range runs {
		l := &ledger{jobsLedger: jobs, job: j, accumulators: newAccumulators(j.remembers)}
		l.invocation = &invocation{placeholderValues: []placeholderValue{{token: "p", value: value.OfInt(int64(i))}}}
		for _, item := range testvalue.Parse(t, items).Items() {
			l.addRow(item.AppendPacked(nil))
		}
		if err := l.saveRemembered(); err != nil {
			return "", err
		}
	}
	next, err := document.Next()
	return next.Field("remembered").Field("n").JSON(), err
}

// TestRemember: what the items of the runs of a job leave.
func TestRemember(t *testing.T) {
	const many = `[{"v":5},{"v":"7"},{"v":null},{"v":""},{},{"v":[9]},{"v":6}]`
	for _, row := range []struct {
		name   string
		pick   aggregate
		before string
		runs   []string
		want   string
	}{
		{"the greatest", greatest, `null`, []string{many}, `"7"`},
		{"the least", least, `null`, []string{many}, `5`},
		{"the greatest of all runs", greatest, `null`, []string{`[{"v":5}]`, `[{"v":8}]`, `[{"v":6}]`, `[]`}, `8`},
		{"what was before is greater", greatest, `10`, []string{many}, `10`},
		{"what was before is less", least, `1`, []string{many, many}, `1`},
		{"an empty text was before", least, `""`, []string{many}, `5`},
		{"no items", greatest, `10`, []string{`[]`}, `10`},
		{"no values", greatest, `10`, []string{`[{"v":{}},{"v":null}]`}, `10`},
		{"equal values: the first", greatest, `null`, []string{`[{"v":"1.0"},{"v":1}]`}, `"1.0"`},

		{"the last", latest, `10`, []string{many, `[]`}, `6`},
		{"the last of the last run", latest, `10`, []string{`[{"v":1}]`, `[{"v":3},{"v":[2]}]`}, `[2]`},
		{"the last item has none", latest, `10`, []string{`[{"v":1}]`, `[{"v":3},{"v":null}]`}, `10`},
		{"the first", earliest, `10`, []string{`[]`, many, `[{"v":1}]`}, `5`},
		{"the first item has none", earliest, `10`, []string{`[{"w":1},{"v":2}]`, `[{"v":1}]`}, `10`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := remembered(t, rememberEntry{name: "n", aggregate: row.pick, path: "v"}, row.before, row.runs...); err != nil || got != row.want {
				t.Errorf("got %s, %v, want %s", got, err, row.want)
			}
		})
	}
	got, err := remembered(t, rememberEntry{name: "n", aggregate: greatest, path: "v", per: []string{"p"}}, `{"1":9,"x":1}`, `[{"v":5}]`, `[{"v":5}]`, `[]`, `[{"v":7}]`)
	if want := `{"1":9,"x":1,"0":5,"3":7}`; err != nil || got != want {
		t.Errorf("for each placeholder: got %s, %v, want %s", got, err, want)
	}
}

// TestTooManyToRemember: the error leads to the entry of the configuration.
func TestTooManyToRemember(t *testing.T) {
	var before strings.Builder
	for i := range state.MaxCombinations {
		before.WriteString(`,"old` + value.OfInt(int64(i)).Raw() + `":1`)
	}
	_, err := remembered(t, rememberEntry{name: "n", pointer: "/n", aggregate: greatest, path: "v", per: []string{"p"}}, "{"+before.String()[1:]+"}", `[{"v":5}]`)
	if failure.KindOf(err) != failure.User || failure.PointerOf(err) != "/n" || !strings.Contains(err.Error(), "more than 100000 values") {
		t.Errorf("got %v at %s", err, failure.PointerOf(err))
	}
}
