package pagination

import "testing"

func TestPageNumber(t *testing.T) {
	const empty = "the page is empty"
	tests := []sequence{
		{name: "no parameters on the first page, the limit of the job", settings: `{"method":"pagenum","limitParam":"c","firstPageParams":false}`,
			job: `{"endpoint":"t","params":{"c":2}}`, responses: []string{rows(2), rows(2), rows(1)},
			sent: []string{`t {"c":2}`, `t {"c":2,"page":2}`, `t {"c":2,"page":3}`}, rule: "the page has fewer rows (1) than the page size (2)"},
		{name: "a limit of 0 in the job means the configured one", settings: `{"method":"pagenum","limit":2}`,
			job: `{"endpoint":"t","params":{"limit":0}}`, responses: []string{rows(0)},
			sent: []string{`t {"limit":2,"page":1}`}, rule: empty},
		{name: "a limit below 0 never makes a page short", settings: `{"method":"pagenum","limit":-1}`,
			responses: []string{rows(1), rows(0)},
			sent:      []string{`t {"page":1,"limit":-1}`, `t {"page":2,"limit":-1}`}, rule: empty},
		{name: "in the body of a form", settings: `{"method":"pagenum"}`,
			job: `{"endpoint":"t","method":"FORM"}`, responses: []string{rows(1), rows(0)},
			sent: []string{`FORM t {"page":1}`, `FORM t {"page":2}`}, rule: empty},
	}
	for i := range tests {
		tests[i].pointer = placed(tests[i].settings, "limit")
	}
	testSequences(t, tests)
}
