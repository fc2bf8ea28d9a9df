package pagination

import "testing"

func TestOffset(t *testing.T) {
	const empty = "the page is empty"
	tests := []sequence{
		{name: "to an empty page", settings: `{"method":"offset","limit":2}`,
			answers: []string{rows(2), rows(2), rows(0)},
			sent:    []string{`t {"limit":2,"offset":0}`, `t {"limit":2,"offset":2}`, `t {"limit":2,"offset":4}`}, rule: empty},
		{name: "to a short page", settings: `{"method":"offset","limit":"2"}`,
			answers: []string{rows(1)},
			sent:    []string{`t {"limit":2,"offset":0}`}, rule: "the page has fewer rows (1) than the page size (2)"},
		{name: "a fraction of a row is cut off", settings: `{"method":"offset","limit":2.9}`,
			answers: []string{rows(2), rows(0)},
			sent:    []string{`t {"limit":2,"offset":0}`, `t {"limit":2,"offset":2}`}, rule: empty},
		{name: "goes on after a page that is too long", settings: `{"method":"offset","limit":2}`,
			answers: []string{rows(3), rows(1)},
			sent:    []string{`t {"limit":2,"offset":0}`, `t {"limit":2,"offset":2}`}, rule: "the page has fewer rows (1) than the page size (2)"},
		{name: "one row a page ends with an empty one", settings: `{"method":"offset","limit":1}`,
			answers: []string{rows(1), rows(0)},
			sent:    []string{`t {"limit":1,"offset":0}`, `t {"limit":1,"offset":1}`}, rule: empty},
		{name: "other names keep the places of job parameters", settings: `{"method":"offset","limit":3,"limitParam":"c","offsetParam":"s"}`,
			job: `{"endpoint":"t","params":{"s":9,"x":1}}`, answers: []string{rows(3), rows(0)},
			sent: []string{`t {"s":0,"x":1,"c":3}`, `t {"s":3,"x":1,"c":3}`}, rule: empty},
		{name: "from the job, with its own page size", settings: `{"method":"offset","limit":20,"offsetFromJob":true}`,
			job: `{"endpoint":"t","params":{"offset":3,"limit":5}}`, answers: []string{rows(5), rows(1)},
			sent: []string{`t {"offset":3,"limit":5}`, `t {"offset":8,"limit":5}`}, rule: "the page has fewer rows (1) than the page size (5)"},
		{name: "a page size of 0 in the job means the limit", settings: `{"method":"offset","limit":2}`,
			job: `{"endpoint":"t","params":{"limit":0}}`, answers: []string{rows(0)},
			sent: []string{`t {"limit":2,"offset":0}`}, rule: empty},
		{name: "a negative page size in the job means the limit", settings: `{"method":"offset","limit":2}`,
			job: `{"endpoint":"t","params":{"limit":-5}}`, answers: []string{rows(0)},
			sent: []string{`t {"limit":2,"offset":0}`}, rule: empty},
		{name: "an empty page size in the job means the limit", settings: `{"method":"offset","limit":2}`,
			job: `{"endpoint":"t","params":{"limit":""}}`, answers: []string{rows(0)},
			sent: []string{`t {"limit":2,"offset":0}`}, rule: empty},
		{name: "no parameters on the first page", settings: `{"method":"offset","limit":2,"firstPageParams":false}`,
			job: `{"endpoint":"t","params":{"x":1}}`, answers: []string{rows(2), rows(0)},
			sent: []string{`t {"x":1}`, `t {"x":1,"limit":2,"offset":2}`}, rule: empty},
		{name: "no parameters on the first page, from the job", settings: `{"method":"offset","limit":2,"firstPageParams":false,"offsetFromJob":true}`,
			job: `{"endpoint":"t","params":{"offset":"7"}}`, answers: []string{rows(2), rows(0)},
			sent: []string{`t {"offset":"7"}`, `t {"offset":9,"limit":2}`}, rule: empty},
		{name: "without a limit the first page tells it", settings: `{"method":"offset"}`,
			answers: []string{rows(10), rows(10), rows(4)},
			sent:    []string{`t {"offset":0}`, `t {"offset":10}`, `t {"offset":20}`}, rule: "the page has fewer rows (4) than the page size (10)"},
		{name: "without a limit, but one in the job", settings: `{"method":"offset"}`,
			job: `{"endpoint":"t","params":{"limit":"4"}}`, answers: []string{rows(4), rows(1)},
			sent: []string{`t {"limit":4,"offset":0}`, `t {"limit":4,"offset":4}`}, rule: "the page has fewer rows (1) than the page size (4)"},
		{name: "without a limit and without rows", settings: `{"method":"offset"}`,
			answers: []string{rows(0)}, sent: []string{`t {"offset":0}`}, rule: empty},
		{name: "parameters that are a list", settings: `{"method":"offset","limit":2}`,
			job: `{"endpoint":"t","params":["p"]}`, answers: []string{rows(0)},
			sent: []string{`t {"0":"p","limit":2,"offset":0}`}, rule: empty},
		{name: "method and headers stay", settings: `{"method":"offset","limit":1}`,
			job: `{"endpoint":"t","method":"POST","headers":{"X":"1"}}`, answers: []string{rows(1), rows(0)},
			sent: []string{`POST t {"limit":1,"offset":0} {"X":"1"}`, `POST t {"limit":1,"offset":1} {"X":"1"}`}, rule: empty},
	}
	for i := range tests {
		tests[i].pointer = placed(tests[i].settings, "limit")
	}
	testSequences(t, tests)
}
