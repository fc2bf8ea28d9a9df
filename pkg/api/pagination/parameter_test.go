package pagination

import "testing"

func TestNestedParameters(t *testing.T) {
	const job = `{"endpoint":"t","method":"POST","params":{"query":"q","variables":{"size":5,"after":null,"filter":{"a":[1,{"b":2}]}}}}`
	testSequences(t, []sequence{
		{name: "a token", settings: `{"method":"response.param","responseParam":"next","queryParam":"variables.after","paramDelimiter":".","includeParams":true}`, job: job,
			responses: []string{`{"next":"x"}`, `{"next":7}`, `{}`},
			sent: []string{`POST t {"query":"q","variables":{"size":5,"after":null,"filter":{"a":[1,{"b":2}]}}}`,
				`POST t {"query":"q","variables":{"size":5,"after":"x","filter":{"a":[1,{"b":2}]}}}`,
				`POST t {"query":"q","variables":{"size":5,"after":7,"filter":{"a":[1,{"b":2}]}}}`},
			rule: "the response has no value at 'next'", pointer: "/responseParam"},
		{name: "the job's parameters are not sent again", settings: `{"method":"response.param","responseParam":"next","queryParam":"variables.after","paramDelimiter":"."}`, job: job,
			responses: []string{`{"next":"x"}`},
			sent:      []string{`POST t {"query":"q","variables":{"size":5,"after":null,"filter":{"a":[1,{"b":2}]}}}`, `POST t {"variables":{"after":"x"}}`}},
		{name: "an offset, whose limit the job has", settings: `{"method":"offset","offsetParam":"variables/skip","limitParam":"variables/size","paramDelimiter":"/","limit":2}`,
			job: job, responses: []string{rows(5)},
			sent: []string{`POST t {"query":"q","variables":{"size":5,"after":null,"filter":{"a":[1,{"b":2}]},"skip":0}}`, `POST t {"query":"q","variables":{"size":5,"after":null,"filter":{"a":[1,{"b":2}]},"skip":5}}`}},
		{name: "what the job begins at", settings: `{"method":"offset","offsetParam":"page.offset","limitParam":"page.limit","paramDelimiter":".","limit":2,"offsetFromJob":true}`,
			job: `{"endpoint":"t","params":{"page":{"offset":10}}}`, responses: []string{rows(2), rows(1)},
			sent: []string{`t {"page":{"offset":10,"limit":2}}`, `t {"page":{"offset":12,"limit":2}}`},
			rule: "the page has fewer rows (1) than the page size (2)", pointer: "/limit"},
		{name: "a page number in objects that are not there", settings: `{"method":"pagenum","pageParam":"a.b.c","paramDelimiter":"."}`, responses: []string{rows(1), rows(0)},
			sent: []string{`t {"a":{"b":{"c":1}}}`, `t {"a":{"b":{"c":2}}}`}, rule: "the page is empty", pointer: "/method"},
		{name: "a cursor in an item of a list", settings: `{"method":"cursor","idKey":"id","param":"variables.filter.a.1.b","paramDelimiter":"."}`, job: job, responses: []string{ids("4")},
			sent: []string{`POST t {"query":"q","variables":{"size":5,"after":null,"filter":{"a":[1,{"b":2}]}}}`, `POST t {"query":"q","variables":{"size":5,"after":null,"filter":{"a":[1,{"b":4}]}}}`}},
		{name: "after a list, and in the place of a text", settings: `{"method":"pagenum","pageParam":"variables.filter.a.9","limitParam":"query.size","limit":1,"paramDelimiter":"."}`, job: job,
			sent: []string{`POST t {"query":{"size":1},"variables":{"size":5,"after":null,"filter":{"a":{"0":1,"1":{"b":2},"9":1}}}}`}},
		{name: "without a separator the name is one", settings: `{"method":"pagenum","pageParam":"a.b"}`, sent: []string{`t {"a.b":1}`}},
	})
}

func TestParametersInTheQuery(t *testing.T) {
	testSequences(t, []sequence{
		{name: "a POST", settings: `{"method":"offset","limit":2,"paramsInQuery":true}`, job: `{"endpoint":"t","method":"POST","params":{"q":1}}`, responses: []string{rows(2)},
			sent: []string{`POST t {"q":1} query {"limit":2,"offset":0}`, `POST t {"q":1} query {"limit":2,"offset":2}`}},
		{name: "those of the job move", settings: `{"method":"offset","limit":2,"paramsInQuery":true,"offsetFromJob":true}`, job: `{"endpoint":"t","method":"FORM","params":{"offset":4,"q":1,"limit":3}}`, responses: []string{rows(3)},
			sent: []string{`FORM t {"q":1} query {"limit":3,"offset":4}`, `FORM t {"q":1} query {"limit":3,"offset":7}`}},
		{name: "nested ones, too", settings: `{"method":"pagenum","pageParam":"page.number","paramDelimiter":".","paramsInQuery":true}`, job: `{"endpoint":"t","method":"PUT","params":{"page":{"number":9,"x":1}}}`, responses: []string{rows(2)},
			sent: []string{`PUT t {"page":{"x":1}} query {"page":{"number":1}}`, `PUT t {"page":{"x":1}} query {"page":{"number":2}}`}},
		{name: "a GET has them there anyway", settings: `{"method":"pagenum","paramsInQuery":true}`, job: `{"endpoint":"t","method":"get","params":{"page":7,"z":1}}`,
			sent: []string{`get t {"page":1,"z":1}`}},
		{name: "a later request with another method", settings: `{"method":"response.param","responseParam":"next","queryParam":"c","scrollRequest":{"method":"POST"},"paramsInQuery":true}`,
			responses: []string{`{"next":"n"}`}, sent: []string{`t`, `POST t query {"c":"n"}`}},
	})
}

func TestNext(t *testing.T) {
	const none = "the response has no value at 'links.[rel=next].href'"
	testSequences(t, []sequence{
		{name: "an address in the response", settings: `{"method":"response.url","next":{"response":"links.[rel=next].href"}}`,
			responses: []string{`{"links":[{"rel":"self","href":"s"},{"rel":"next","href":"n"}]}`, `{"links":[{"rel":"self","href":"s"}]}`},
			sent:      []string{`t`, `n`}, rule: none, pointer: "/next"},
		{name: "an address in a header", settings: `{"method":"response.url","next":{"responseHeader":"X-Next"},"includeParams":true}`, job: `{"endpoint":"t","params":{"a":1}}`,
			responses: []string{"x-next: u?page=2\n\n[]", "X-Next: null\n\n[]"},
			sent:      []string{`t {"a":1}`, `u?page=2 {"a":1}`}, rule: "the header 'X-Next' of the response has no value", pointer: "/next"},
		{name: "a value in a header, of which the first counts", settings: `{"method":"response.param","queryParam":"page","next":{"responseHeader":"X-Next-Page"}}`,
			responses: []string{"X-Next-Page: 2\nX-Next-Page: 9\n\n[]", "X-Next-Page: \n\n[]"},
			sent:      []string{`t`, `t {"page":"2"}`}, rule: "the header 'X-Next-Page' of the response has no value", pointer: "/next"},
		{name: "a value in the response, with its type", settings: `{"method":"response.param","queryParam":"after","next":{"response":"data.-1.id"}}`,
			responses: []string{`{"data":[{"id":1},{"id":2}]}`, `{"data":[]}`},
			sent:      []string{`t`, `t {"after":2}`}, rule: "the response has no value at 'data.-1.id'", pointer: "/next"},
		{name: "a header with another name", settings: `{"method":"response.param","queryParam":"p","next":{"responseHeader":"Sforce-Lokator"}}`,
			responses: []string{"Sforce-Locator: abc\nSforce-NumberOfRecords: 3\n\n{}"},
			sent:      []string{`t`}, rule: "the response has no header 'Sforce-Lokator', but it has the header 'Sforce-Locator'", pointer: "/next"},
		{name: "no such header", settings: `{"method":"response.param","queryParam":"p","next":{"responseHeader":"X-Next-Page"}}`, responses: []string{"X-Prev-Page: 1\n\n{}"},
			sent: []string{`t`}, rule: "the response has no header 'X-Next-Page'", pointer: "/next"},
		{name: "a header with the text null", settings: `{"method":"response.param","queryParam":"p","next":{"responseHeader":"sforce-locator"}}`,
			responses: []string{"Sforce-Locator: abc\n\n{}", "Sforce-Locator: null\n\n{}"},
			sent:      []string{`t`, `t {"p":"abc"}`}, rule: "the header 'sforce-locator' of the response has no value", pointer: "/next"},
		{name: "another place where there is nothing", settings: `{"method":"response.param","queryParam":"p","next":{"responseHeader":"X-Next","default":{"response":"next"}}}`,
			responses: []string{"X-Next: a\n\n{\"next\":\"b\"}", `{"next":"c"}`, `{}`},
			sent:      []string{`t`, `t {"p":"a"}`, `t {"p":"c"}`}, rule: "the response has no header 'X-Next'", pointer: "/next"},
		{name: "a value where there is nothing", settings: `{"method":"response.param","queryParam":"p","next":{"response":"next","default":"*"},"forceStop":{"pages":3}}`,
			responses: []string{`{"next":"a"}`, `{"next":""}`, `{}`},
			sent:      []string{`t`, `t {"p":"a"}`, `t {"p":"*"}`}, rule: "the number of pages (3) has reached the limit of 3", pointer: "/forceStop/pages"},
	})
}

func TestNextProblems(t *testing.T) {
	const forms = `expected {"response": PATH} or {"responseHeader": NAME}`
	for settings, want := range map[string]string{
		`{"method":"response.url","urlKey":"n","next":{"response":"m"}}`:                            `/api/pagination/next: expected the key "next" or the key "urlKey", not both; remove one of them: "urlKey" is the short form of {"response": PATH}`,
		`{"method":"response.param","queryParam":"p","responseParam":"n","next":{"response":"m"}}`:  `/api/pagination/next: expected the key "next" or the key "responseParam", not both; remove one of them: "responseParam" is the short form of {"response": PATH}`,
		`{"method":"response.param","queryParam":"p"}`:                                              `/api/pagination: expected the key "responseParam" or the key "next", one of which the method response.param needs`,
		`{"method":"response.url","next":{"responseHeader":"X Next:"}}`:                             `/api/pagination/next/responseHeader: expected the name of a header, found "X Next:"; write the name alone, without a colon and without blanks`,
		`{"method":"response.url","next":{"response":"m","responseHeader":"X"}}`:                    `/api/pagination/next: ` + forms + `, found an object`,
		`{"method":"response.url","next":{"default":"m"}}`:                                          `/api/pagination/next: ` + forms + `, found an object`,
		`{"method":"response.url","next":{"response":"m","default":{"responseHeader":["X"]}}}`:      `/api/pagination/next/default/responseHeader: expected a string, found a list of 1`,
		`{"method":"response.param","queryParam":"p","next":{"response":"m","default":{"attr":1}}}`: `/api/pagination/next/default: ` + forms + `, found an object`,
	} {
		compileText(t, settings, want)
	}
}

func TestStopWhen(t *testing.T) {
	testSequences(t, []sequence{
		{name: "a text", settings: `{"method":"pagenum","stopWhen":"meta.status==done"}`, responses: []string{`{"meta":{"status":"open"},"r":[1]}`, `{"meta":{"status":"done"},"r":[1]}`},
			sent: []string{`t {"page":1}`, `t {"page":2}`}, rule: "the response satisfies the condition 'meta.status==done'", pointer: "/stopWhen"},
		{name: "words for booleans", settings: `{"method":"pagenum","stopWhen":"more==false"}`, responses: []string{`{"more":true,"r":[1]}`, `{"r":[1]}`, `{"more":false,"r":[1]}`},
			sent: []string{`t {"page":1}`, `t {"page":2}`, `t {"page":3}`}, rule: "the response satisfies the condition 'more==false'", pointer: "/stopWhen"},
		{name: "several comparisons", settings: `{"method":"pagenum","stopWhen":"page>=pages&a==1|left<=0"}`, responses: []string{`{"page":1,"a":1,"left":5,"r":[1]}`, `{"left":0,"r":[1]}`},
			sent: []string{`t {"page":1}`, `t {"page":2}`}, rule: "the response satisfies the condition 'page>=pages&a==1|left<=0'", pointer: "/stopWhen"},
		{name: "items and names with dots", settings: `{"method":"pagenum","stopWhen":"m.links.[rel=next].href==&@odata.more==0"}`,
			responses: []string{`{"m":{"links":[{"rel":"next","href":"x"}]},"@odata.more":0,"r":[1]}`, `{"m":{"links":[]},"@odata.more":0,"r":[1]}`},
			sent:      []string{`t {"page":1}`, `t {"page":2}`}, rule: "the response satisfies the condition 'm.links.[rel=next].href==&@odata.more==0'", pointer: "/stopWhen"},
		{name: "a response that is a list", settings: `{"method":"pagenum","stopWhen":"-1.last==1"}`, responses: []string{`[{"last":true}]`},
			sent: []string{`t {"page":1}`}, rule: "the response satisfies the condition '-1.last==1'", pointer: "/stopWhen"},
		{name: "the flag is looked at first", settings: `{"method":"pagenum","stopWhen":"a==1","nextPageFlag":{"field":"more","stopOn":false}}`, responses: []string{`{"a":1,"more":false,"r":[1]}`},
			sent: []string{`t {"page":1}`}, rule: "the field 'more' is false", pointer: "/nextPageFlag/stopOn"},
	})
	_, _, err := walk(t, scroller(t, `{"method":"pagenum","stopWhen":"a==1"}`, ""), request(t, ""), 0, `{"a":{"b":1},"r":[]}`)
	if err == nil || err.Error() != "the filter compares 'a', which is an object (at /api/pagination/stopWhen)" {
		t.Errorf("got %v", err)
	}
	compileText(t, `{"method":"pagenum","stopWhen":"done"}`, `/api/pagination/stopWhen: every condition needs one of the operators ==, !=, >=, <=, >, <, ~~, !~; there is none in 'done', found "done"`)
}
