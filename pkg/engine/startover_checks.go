package engine

import (
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
)

// checkStartOvers checks the jobs with a scroller that starts over. A setting `startOver` with
// which no job can start over is a problem. Other jobs with the scroller may have few
// rows: they fail only if they reach the number.
func (p *Program) checkStartOvers() {
	able := map[string]bool{} // keys are the pointers of the settings
	var pointers []string
	p.eachIteration(func(it, first *iteration) {
		for _, j := range withChildren(it.jobs) {
			pointer := j.scroller.StartsOver
			if pointer == "" || !j.Reachable {
				continue
			}
			if !slices.Contains(pointers, pointer) {
				pointers = append(pointers, pointer)
			}
			if len(j.roundEntries) > 0 {
				able[pointer] = true
				checkDirections(j)
				checkKeysOf(j, first.mappings)
			}
			able[pointer] = checkRoundForms(j) || able[pointer]
		}
	})
	for _, pointer := range pointers {
		if !able[pointer] {
			p.doc.Root.Problems().Add(failure.Problem{Code: failure.CannotStartOver, Pointer: pointer,
				Expected: "expected a job that remembers a value with \"max\" or \"min\" and sends it in its request, otherwise no job can start over",
				Hint:     startOverNeeds})
		}
	}
}

// checkDirections reports values of one path that must both grow and shrink: no API sorts
// its rows so.
func checkDirections(j *job) {
	for _, m := range j.roundEntries {
		other := slices.IndexFunc(j.roundEntries, func(o rememberEntry) bool { return o.path == m.path && o.aggregate != m.aggregate })
		if m.aggregate == least && other >= 0 {
			reportRound(j, m, "expected a value for the request that \"startOver\" can move together with "+field.Quoted(j.roundEntries[other].name)+": rows cannot be sorted in both directions",
				"send only one of the two values, and take the other limit from an attribute")
		}
	}
}

// checkRoundForms reports values in the request that the job remembers in another form
// than its greatest or least value, because rows cannot be compared with them. It returns
// true if there are such values.
func checkRoundForms(j *job) (found bool) {
	for _, m := range j.remembers {
		if (m.aggregate == latest || m.aggregate == earliest) && slices.Contains(j.sentRemembered, m.name) {
			found = true
			reportRound(j, m, failure.Part(`expected "max" or "min", because the job starts over with this value and checks that its rows are sorted by it`),
				failure.Part("write {\"max\": "+strconv.Quote(m.path)+"} if the API sorts ascending, {\"min\": "+strconv.Quote(m.path)+"} if it sorts descending"))
		}
	}
	return found
}

func reportRound(j *job, m rememberEntry, expected, hint failure.Text) {
	j.Problems().Add(failure.Problem{Code: failure.CannotStartOver, Pointer: m.pointer, Expected: expected, Hint: hint})
}

// checkKeysOf reports tables without a primary key that a job and its child jobs write.
// The rows at the border of two rounds come twice, and their child jobs run twice.
func checkKeysOf(root *job, mappings mapping.Mappings) {
	const hint = `set "primaryKey" to true in the "mapping" of the columns that identify a row`
	for _, j := range withChildren([]*job{root}) {
		if j.NotStored {
			continue
		}
		report := func(pointer string, table failure.Text) {
			expected := "expected a primary key for " + table + ": the job starts over, and the rows at the border of two rounds come twice"
			if j != root {
				expected = "expected a primary key for " + table + ": a job above it starts over (" + failure.Part(root.Pointer) + "), and the rows of its children come twice at the border of two rounds"
			}
			root.Problems().Add(failure.Problem{Code: failure.CannotStartOver, Pointer: pointer, Expected: expected, Hint: hint})
		}
		if !mappings.Has(j.DataType) {
			report(j.Pointer, "its table, which needs a mapping")
			continue
		}
		for _, t := range mappings.Keyless(j.DataType) {
			report(t.Pointer, "the table "+field.Quoted(t.Table))
		}
	}
}
