package pagination

import "testing"

func TestOffset(t *testing.T) {
	const empty = "the page is empty"
	tests := []sequence{
		{name: "a fraction of a row is cut off", settings: `{"method":"offset","limit":2.9}`,
			responses: []string{rows(2), rows(0)},
			sent:      []string{`t {"limit":2,"offset":0}`, `t {"limit":2,"offset":2}`}, rule: empty},
		{name: "continues after a page that is too long", settings: `{"method":"offset","limit":2}`,
			responses: []string{rows(3), rows(1)},
			sent:      []string{`t {"limit":2,"offset":0}`, `t {"limit":2,"offset":2}`}, rule: "the page has fewer rows (1) than the page size (2)"},
		{name: "other names keep the places of job parameters", settings: `{"method":"offset","limit":3,"limitParam":"c","offsetParam":"s"}`,
			job: `{"endpoint":"t","params":{"s":9,"x":1}}`, responses: []string{rows(3), rows(0)},
			sent: []string{`t {"s":0,"x":1,"c":3}`, `t {"s":3,"x":1,"c":3}`}, rule: empty},
		{name: "the first offset", settings: `{"method":"offset","limit":2,"firstOffset":1}`,
			responses: []string{rows(2), rows(0)},
			sent:      []string{`t {"limit":2,"offset":1}`, `t {"limit":2,"offset":3}`}, rule: empty},
		{name: "the offset of the job wins over the first one", settings: `{"method":"offset","limit":2,"firstOffset":1,"offsetFromJob":true}`,
			job: `{"endpoint":"t","params":{"offset":4}}`, responses: []string{rows(0)},
			sent: []string{`t {"offset":4,"limit":2}`}, rule: empty},
		{name: "from the job, with its own page size", settings: `{"method":"offset","limit":20,"offsetFromJob":true}`,
			job: `{"endpoint":"t","params":{"offset":3,"limit":5}}`, responses: []string{rows(5), rows(1)},
			sent: []string{`t {"offset":3,"limit":5}`, `t {"offset":8,"limit":5}`}, rule: "the page has fewer rows (1) than the page size (5)"},
		{name: "a negative page size in the job means the limit", settings: `{"method":"offset","limit":2}`,
			job: `{"endpoint":"t","params":{"limit":-5}}`, responses: []string{rows(0)},
			sent: []string{`t {"limit":2,"offset":0}`}, rule: empty},
		{name: "an empty page size in the job means the limit", settings: `{"method":"offset","limit":2}`,
			job: `{"endpoint":"t","params":{"limit":""}}`, responses: []string{rows(0)},
			sent: []string{`t {"limit":2,"offset":0}`}, rule: empty},
		{name: "from the job, a text of 20 digits", settings: `{"method":"offset","limit":2,"offsetFromJob":true}`,
			job: `{"endpoint":"t","params":{"offset":"99999999999999999999"}}`, responses: []string{rows(2), rows(0)},
			sent: []string{`t {"offset":99999999999999999999,"limit":2}`, `t {"offset":100000000000000000001,"limit":2}`}, rule: empty},
		{name: "a page size of the job that no page has", settings: `{"method":"offset","limit":2}`,
			job: `{"endpoint":"t","params":{"limit":"99999999999999999999"}}`, responses: []string{rows(9)},
			sent: []string{`t {"limit":99999999999999999999,"offset":0}`}, rule: "the page has fewer rows (9) than the page size (9223372036854775807)"},
		{name: "parameters that are a list", settings: `{"method":"offset","limit":2}`,
			job: `{"endpoint":"t","params":["p"]}`, responses: []string{rows(0)},
			sent: []string{`t {"0":"p","limit":2,"offset":0}`}, rule: empty},
		{name: "method and headers stay", settings: `{"method":"offset","limit":1}`,
			job: `{"endpoint":"t","method":"POST","headers":{"X":"1"}}`, responses: []string{rows(1), rows(0)},
			sent: []string{`POST t {"limit":1,"offset":0} {"X":"1"}`, `POST t {"limit":1,"offset":1} {"X":"1"}`}, rule: empty},
	}
	for i := range tests {
		tests[i].pointer = placed(tests[i].settings, "limit")
	}
	testSequences(t, tests)
}
