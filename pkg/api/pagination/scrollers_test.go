package pagination

import (
	"strings"
	"testing"
)

func TestMultiple(t *testing.T) {
	const two = `"scrollers":{"default":{"method":"offset","limit":1},"c":{"method":"cursor","idKey":"id","param":"p"}}`
	const nested = `"scrollers":{"in":{"method":"multiple","default":"x","scrollers":{"x":{"method":"pagenum"},"in":{"method":"offset","limit":1}}}}`
	tests := []struct {
		name, settings, job, first string
	}{
		{"a scroller called default serves jobs that name none", `{"method":"multiple",` + two + `}`, "", `t {"limit":1,"offset":0}`},
		{"the job names its scroller", `{"method":"multiple",` + two + `}`, "c", `t`},
		{"the setting default wins", `{"method":"multiple","default":"c",` + two + `}`, "", `t`},
		{"the job wins over the setting default", `{"method":"multiple","default":"c",` + two + `}`, "default", `t {"limit":1,"offset":0}`},
		{"no default at all", `{"method":"multiple","scrollers":{"a":{"method":"offset","limit":1}}}`, "", `t`},
		{"only multiple knows names", `{"method":"offset","limit":1}`, "x", `t {"limit":1,"offset":0}`},
		{"nested, the default of the default", `{"method":"multiple","default":"in",` + nested + `}`, "", `t {"page":1}`},
		{"nested, the name is looked up again", `{"method":"multiple",` + nested + `}`, "in", `t {"limit":1,"offset":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first, _ := scroller(t, tt.settings, tt.job).First(request(t, ""), start)
			if got := show(first); got != tt.first {
				t.Errorf("got %s, want %s", got, tt.first)
			}
		})
	}
	for settings, want := range map[string]string{
		`{"method":"multiple",` + two + `}`:                                                  "the scroller 'd' is not defined; the defined scrollers are: c, default",
		`{"method":"multiple","scrollers":{"d":{"method":"multiple","scrollers":{"x":{}}}}}`: "the scroller 'd' is not defined; the defined scrollers are: x",
	} {
		if _, err := compileText(t, settings).For("d"); err == nil || err.Error() != want {
			t.Errorf("%s: got %v", settings, err)
		}
	}
}

// TestStoppersOfMultiple has a limit next to the method, which holds for all
// scrollers, and limits of the scrollers.
func TestStoppersOfMultiple(t *testing.T) {
	const settings = `{"method":"multiple","forceStop":{"pages":3},"scrollers":{
		"a":{"method":"pagenum","limitStop":{"count":2}},
		"default":{"method":"pagenum"},
		"nested":{"method":"multiple","forceStop":{"pages":2},"scrollers":{"nested":{"method":"pagenum"}}}}}`
	tests := []struct {
		name    string
		pages   int
		pointer string
	}{
		{"", 3, "/api/pagination/forceStop/pages"},
		{"a", 2, "/api/pagination/scrollers/a/limitStop/count"},
		{"nested", 2, "/api/pagination/scrollers/nested/forceStop/pages"},
	}
	for _, tt := range tests {
		sent, stop, err := walk(t, scroller(t, settings, tt.name), request(t, ""), 0, rows(1), rows(1), rows(1), rows(1))
		if err != nil || stop == nil || stop.Pointer != tt.pointer || len(sent) != tt.pages {
			t.Errorf("%s: got %d pages, stop %v, %v", tt.name, len(sent), stop, err)
		}
	}
}

// TestOrderOfChecks takes one rule away after the other from a page at which
// all of them want to stop.
func TestOrderOfChecks(t *testing.T) {
	rules := []string{
		`"nextPageFlag":{"field":"last","stopOn":true}`,
		`"forceStop":{"pages":1}`,
		`"limitStop":{"count":1}`,
	}
	pointers := []string{"/limit", "/nextPageFlag/stopOn", "/forceStop/pages", "/limitStop/count"}
	for n, pointer := range pointers {
		settings := `{"method":"offset","limit":2,` + strings.Join(rules[:n], ",") + `}`
		settings = strings.Replace(settings, ",}", "}", 1)
		_, stop, err := walk(t, scroller(t, settings, ""), request(t, ""), 0, `{"r":[1],"last":true}`)
		if err != nil || stop == nil || stop.Pointer != "/api/pagination"+pointer {
			t.Errorf("%s: got %v, %v", settings, stop, err)
		}
	}
}

func TestProblems(t *testing.T) {
	const at = "/api/pagination"
	tests := []struct {
		settings string
		problems []string
	}{
		{`{"method":[1]}`, []string{`/method: expected a string, found a list of 1`}},
		{`{"method":"offset","limit":"many"}`, []string{`/limit: expected an integer, found "many"`}},
		{`{"method":"offset","limit":-1}`, []string{`/limit: expected a number of rows, at least 1, found -1`}},
		{`{"method":"offset","limit":0.5}`, []string{`/limit: expected a number of rows, at least 1, found 0.5`}},
		{`{"method":"pagenum","limit":"x","firstPage":"y","pageParam":[1]}`, []string{`/firstPage: expected an integer, found "y"`, `/pageParam: expected a string, found a list of 1`, `/limit: expected an integer, found "x"`}},
		{`{"method":"response.url","urlKey":{"a":1},"delimiter":["#"]}`, []string{`/delimiter: expected a string, found a list of 1`, `/urlKey: expected a string, found an object`}},
		{`{"method":"zendesk.response.url","urlKey":[1]}`, []string{`/urlKey: expected a string, found a list of 1`}},
		{`{"method":"response.param"}`, []string{`: expected the key "responseParam" or the key "next", one of which the method response.param needs`, `: expected the key "queryParam", which the method response.param needs`}},
		{`{"method":"response.param","responseParam":"a","queryParam":"b","scrollRequest":"r"}`, []string{`/scrollRequest: expected an object, found "r"`}},
		{`{"method":"response.param","responseParam":"a","queryParam":"b","scrollRequest":{"endpoint":[1],"method":{"a":1},"headers":"h","params":5}}`,
			[]string{`/scrollRequest/endpoint: expected a string, found a list of 1`, `/scrollRequest/method: expected a string, found an object`, `/scrollRequest/headers: expected an object, found a string`, `/scrollRequest/params: expected an object, found a number`}},
		{`{"method":"offset","total":[1],"totalPages":[1]}`, []string{`/total: expected a path, or {"responseHeader": NAME}, found a list of 1`}},
		{`{"method":"pagenum","total":[1],"totalPages":{"a":1}}`, []string{`/total: expected a path, or {"responseHeader": NAME}, found a list of 1`, `/totalPages: expected {"response": PATH} or {"responseHeader": NAME}, found an object`}},
		{`{"method":"cursor"}`, []string{`: expected the key "idKey", which the method cursor needs`, `: expected the key "param", which the method cursor needs`}},
		{`{"method":"cursor","idKey":"id","param":"p","increment":"x"}`, []string{`/increment: expected an integer, found "x"`}},

		{`{"method":"multiple"}`, []string{`/scrollers: expected at least one scroller`}},
		{`{"method":"multiple","scrollers":[{}]}`, []string{`/scrollers: expected at least one scroller, found a list of 1`}},
		{`{"method":"multiple","scrollers":{"a":5}}`, []string{`/scrollers/a: expected an object with the settings of a scroller, found 5`}},
		{`{"method":"multiple","default":"b","scrollers":{"a":{"method":"x"}}}`, []string{
			`/default: the scroller 'b' is not defined; the defined scrollers are: a, found "b"`}},
		{`{"method":"multiple","scrollers":{"a":{"method":"multiple","default":"y","scrollers":{"x":{"method":"offset","limit":-1}}}}}`, []string{
			`/scrollers/a/scrollers/x/limit: expected a number of rows, at least 1, found -1`,
			`/scrollers/a/default: the scroller 'y' is not defined; the defined scrollers are: x, found "y"`}},

		{`{"nextPageFlag":"x","forceStop":5,"limitStop":["a"]}`, []string{`/nextPageFlag: expected an object, found "x"`, `/forceStop: expected an object, found 5`, `/limitStop: expected an object, found a list of 1`}},
		{`{"nextPageFlag":{"field":0,"stopOn":true}}`, []string{`/nextPageFlag/field: expected the name of a field, found 0`}},
		{`{"nextPageFlag":{"field":["f"],"stopOn":true}}`, []string{`/nextPageFlag/field: expected a string, found a list of 1`}},
		{`{"nextPageFlag":{"field":"f","stopOn":0}}`, []string{`/nextPageFlag/stopOn: expected true or false, found 0`}},
		{`{"nextPageFlag":{"field":"f","stopOn":"true","ifNotSet":[]}}`, []string{`/nextPageFlag/stopOn: expected true or false, found "true"`, `/nextPageFlag/ifNotSet: expected true or false, found an empty list`}},
		{`{"nextPageFlag":{"field":"f","stopOn":false,"ifNotSet":null}}`, nil},
		{`{"forceStop":{"pages":"x","time":"soonish","volume":true}}`, []string{
			`/forceStop/pages: expected an integer, found "x"`,
			`/forceStop/time: expected a number of seconds or a span of time such as "1 hour", found "soonish"`,
			`/forceStop/volume: expected an integer, found true`}},
		{`{"forceStop":{"time":true}}`, []string{`/forceStop/time: expected a number of seconds or a span of time such as "1 hour", found true`}},
		{`{"forceStop":{}}`, nil},
		{`{"limitStop":{"count":0}}`, []string{`/limitStop: expected the key "count" or the key "field"`}},
		{`{"limitStop":{"count":1,"field":"a"}}`, []string{`/limitStop: expected the key "count" or the key "field", not both`}},
		{`{"limitStop":{"count":"x"}}`, []string{`/limitStop/count: expected an integer, found "x"`}},
		{`{"limitStop":{"field":[1]}}`, []string{`/limitStop/field: expected a string, found a list of 1`}},
		{`{"method":"multiple","limitStop":{"count":"x"},"scrollers":{"a":{"forceStop":{"pages":"y"}}}}`, []string{
			`/scrollers/a/forceStop/pages: expected an integer, found "y"`, `/limitStop/count: expected an integer, found "x"`}},

		{`{"pages":1}`, nil},
		{`{"pages":-1}`, nil},
		{`{"pages":"12"}`, nil},
		{`{"pages":""}`, nil},
		{`{"pages":"1x"}`, []string{`/pages: expected an integer, found "1x"`}},
		{`{"pages":"-1"}`, []string{`/pages: expected an integer, found "-1"`}},
		{`{"pages":1.5}`, []string{`/pages: expected an integer, found 1.5`}},
		{`{"pages":true}`, []string{`/pages: expected an integer, found true`}},
		{`{"pages":[1]}`, []string{`/pages: expected an integer, found a list of 1`}},
	}
	for _, tt := range tests {
		for i := range tt.problems {
			tt.problems[i] = at + tt.problems[i]
		}
		compileText(t, tt.settings, tt.problems...)
	}
}

// TestUnknownDefaultIsReportedOnce: jobs that name no scroller do not fail because
// of it as well.
func TestUnknownDefaultIsReportedOnce(t *testing.T) {
	all := compileText(t, `{"method":"multiple","default":"b","scrollers":{"a":{"method":"pagenum"}}}`,
		`/api/pagination/default: the scroller 'b' is not defined; the defined scrollers are: a, found "b"`)
	if _, err := all.For(""); err != nil {
		t.Error(err)
	}
}
