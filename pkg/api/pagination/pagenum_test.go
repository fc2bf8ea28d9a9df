package pagination

import "testing"

func TestPageNumber(t *testing.T) {
	const empty = "the page is empty"
	tests := []sequence{
		{name: "to an empty page", settings: `{"method":"pagenum"}`,
			responses: []string{rows(2), rows(1), rows(0)},
			sent:      []string{`t {"page":1}`, `t {"page":2}`, `t {"page":3}`}, rule: empty},
		{name: "a limit of 0 is none", settings: `{"method":"pagenum","limit":0}`,
			responses: []string{rows(1), rows(0)},
			sent:      []string{`t {"page":1}`, `t {"page":2}`}, rule: empty},
		{name: "other names, from page 0, to a short page", settings: `{"method":"pagenum","firstPage":0,"pageParam":"s","limitParam":"c","limit":2}`,
			responses: []string{rows(2), rows(1)},
			sent:      []string{`t {"s":0,"c":2}`, `t {"s":1,"c":2}`}, rule: "the page has fewer rows (1) than the page size (2)"},
		{name: "numbers as texts", settings: `{"method":"pagenum","firstPage":"3","limit":"2"}`,
			responses: []string{rows(2), rows(0)},
			sent:      []string{`t {"page":3,"limit":2}`, `t {"page":4,"limit":2}`}, rule: empty},
		{name: "continues after a page that is too long", settings: `{"method":"pagenum","limit":2}`,
			responses: []string{rows(3), rows(0)},
			sent:      []string{`t {"page":1,"limit":2}`, `t {"page":2,"limit":2}`}, rule: empty},
		{name: "no parameters on the first page, the limit of the job", settings: `{"method":"pagenum","limitParam":"c","firstPageParams":false}`,
			job: `{"endpoint":"t","params":{"c":2}}`, responses: []string{rows(2), rows(2), rows(1)},
			sent: []string{`t {"c":2}`, `t {"c":2,"page":2}`, `t {"c":2,"page":3}`}, rule: "the page has fewer rows (1) than the page size (2)"},
		{name: "no parameters on the first page, not page 1", settings: `{"method":"pagenum","limit":2,"firstPage":0,"firstPageParams":false}`,
			job: `{"endpoint":"t","params":{"x":1}}`, responses: []string{rows(2), rows(0)},
			sent: []string{`t {"x":1}`, `t {"x":1,"page":1,"limit":2}`}, rule: empty},
		{name: "the limit of the job wins", settings: `{"method":"pagenum","limit":20}`,
			job: `{"endpoint":"t","params":{"limit":"5"}}`, responses: []string{rows(5), rows(4)},
			sent: []string{`t {"limit":5,"page":1}`, `t {"limit":5,"page":2}`}, rule: "the page has fewer rows (4) than the page size (5)"},
		{name: "a limit of 0 in the job means the configured one", settings: `{"method":"pagenum","limit":2}`,
			job: `{"endpoint":"t","params":{"limit":0}}`, responses: []string{rows(0)},
			sent: []string{`t {"limit":2,"page":1}`}, rule: empty},
		{name: "the page of the job is overwritten in its place", settings: `{"method":"pagenum","limit":2}`,
			job: `{"endpoint":"t","params":{"page":7,"x":1}}`, responses: []string{rows(2), rows(0)},
			sent: []string{`t {"page":1,"x":1,"limit":2}`, `t {"page":2,"x":1,"limit":2}`}, rule: empty},
		{name: "a limit below 0 never makes a page short", settings: `{"method":"pagenum","limit":-1}`,
			responses: []string{rows(1), rows(0)},
			sent:      []string{`t {"page":1,"limit":-1}`, `t {"page":2,"limit":-1}`}, rule: empty},
		{name: "from the last number of 64 bits", settings: `{"method":"pagenum","firstPage":9223372036854775807}`,
			responses: []string{rows(1), rows(1), rows(0)},
			sent:      []string{`t {"page":9223372036854775807}`, `t {"page":9223372036854775808}`, `t {"page":9223372036854775809}`}, rule: empty},
		{name: "in the body of a form", settings: `{"method":"pagenum"}`,
			job: `{"endpoint":"t","method":"FORM"}`, responses: []string{rows(1), rows(0)},
			sent: []string{`FORM t {"page":1}`, `FORM t {"page":2}`}, rule: empty},
	}
	for i := range tests {
		tests[i].pointer = placed(tests[i].settings, "limit")
	}
	testSequences(t, tests)
}
