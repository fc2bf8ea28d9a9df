package pagination

import "testing"

func TestResponseParam(t *testing.T) {
	const none = "the response has no value at 'tok'"
	const job = `{"endpoint":"t","method":"POST","params":{"a":1,"q":"x"},"headers":{"X":"1","Y":"2"}}`
	with := func(more string) string {
		return `{"method":"response.param","responseParam":"tok","queryParam":"q"` + more + `}`
	}
	tests := []sequence{
		{name: "parameters are dropped", settings: with(``), job: job,
			responses: []string{`{"tok":"abc"}`, `{"tok":"def"}`, `{}`},
			sent:      []string{`POST t {"a":1,"q":"x"} {"X":"1","Y":"2"}`, `POST t {"q":"abc"} {"X":"1","Y":"2"}`, `POST t {"q":"def"} {"X":"1","Y":"2"}`}, rule: none},
		{name: "any value", settings: with(``), job: `{"endpoint":"t","params":[]}`,
			responses: []string{`{"tok":1.50}`, `{"tok":true}`, `{"tok":[1,{"a":null}]}`, `{"tok":{}}`, `{"tok":"false"}`, `{"tok":[]}`},
			sent:      []string{`t`, `t {"q":1.50}`, `t {"q":true}`, `t {"q":[1,{"a":null}]}`, `t {"q":{}}`, `t {"q":"false"}`}, rule: none},
		{name: "a path", settings: `{"method":"response.param","responseParam":"meta.tokens.0","queryParam":"q"}`,
			responses: []string{`{"meta":{"tokens":["abc"]}}`, `{"meta":{"tokens":[]}}`},
			sent:      []string{`t`, `t {"q":"abc"}`}, rule: "the response has no value at 'meta.tokens.0'"},
		{name: "other requests with the kept parameters and headers below", settings: with(`,"includeParams":true,"scrollRequest":{"params":{"a":[7],"b":{"c":1}},"headers":{"Y":"3","Z":"4"}}`),
			job: `{"endpoint":"t","params":{"a":[1,2,3],"b":{"d":2},"e":5},"headers":{"X":"1","Y":"2"}}`, responses: []string{`{"tok":"abc"}`, `{}`},
			sent: []string{`t {"a":[1,2,3],"b":{"d":2},"e":5} {"X":"1","Y":"2"}`, `t {"a":[7],"b":{"c":1},"e":5,"q":"abc"} {"X":"1","Y":"3","Z":"4"}`}, rule: none},
		{name: "parameters that are lists", settings: with(`,"includeParams":true,"scrollRequest":{"params":["p"]}`),
			job: `{"endpoint":"t","params":["a","b"]}`, responses: []string{`{"tok":"abc"}`, `{}`},
			sent: []string{`t ["a","b"]`, `t {"0":"p","1":"b","q":"abc"}`}, rule: none},
		{name: "nothing is evaluated", settings: with(`,"scrollRequest":{"params":{"k":{"function":"md5","args":["x"]}}}`),
			responses: []string{`{"tok":"abc"}`, `{}`},
			sent:      []string{`t`, `t {"k":{"function":"md5","args":["x"]},"q":"abc"}`}, rule: none},
		{name: "an empty scrollRequest", settings: with(`,"scrollRequest":[]`),
			responses: []string{`{"tok":"abc"}`, `{}`},
			sent:      []string{`t`, `t {"q":"abc"}`}, rule: none},
	}
	for i := range tests {
		tests[i].pointer = "/responseParam"
	}
	testSequences(t, tests)
}
