package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// given is a document; what is left out is as simple as can be.
type given struct{ base, api, config, jobs, rest string }

func (g given) text() string {
	if g.base == "" {
		g.base = "https://api.example.com"
	}
	if g.jobs == "" {
		g.jobs = `{"endpoint":"users"}`
	}
	return fmt.Sprintf(`{"api":{"baseUrl":%q%s},"config":{"jobs":[%s]%s}%s}`, g.base, g.api, g.jobs, g.config, g.rest)
}

func TestCheck(t *testing.T) {
	const auth = `,"authentication":{"type":"query","query":{"k":{"attr":"#k"}}}`
	const multiple = `,"pagination":{"method":"multiple","scrollers":{"a":{"method":"offset","limit":5},"b":{"method":"pagenum"}}%s}`
	tests := []struct {
		name string
		given
		want []string // code and pointer
	}{
		{"nothing", given{}, nil},

		{"scrollers that no job names", given{api: fmt.Sprintf(multiple, ""), jobs: `{"endpoint":"x","scroller":"a"}`}, []string{"unused-scroller /api/pagination/scrollers/b"}},
		{"a scroller that a child names", given{api: fmt.Sprintf(multiple, ""), jobs: `{"endpoint":"x","scroller":"a","children":[{"endpoint":"{i}","placeholders":{"i":"i"},"scroller":"b"}]}`}, nil},
		{"a scroller by default", given{api: fmt.Sprintf(multiple, `,"default":"b"`), jobs: `{"endpoint":"x","scroller":"a"},{"endpoint":"y"}`}, nil},
		{"a default that no job needs", given{api: fmt.Sprintf(multiple, `,"default":"b"`), jobs: `{"endpoint":"x","scroller":"a"}`}, []string{"unused-scroller /api/pagination/scrollers/b"}},
		{"scrollers without the method", given{api: `,"pagination":{"method":"pagenum","scrollers":{"a":{"method":"offset"}}}`}, []string{"unused-scroller /api/pagination/scrollers"}},

		{"a nested page number of the job's own", given{api: `,"pagination":{"method":"pagenum","pageParam":"a/b","paramDelimiter":"/"}`, jobs: `{"endpoint":"x","params":{"a":{"b":3},"a/b":1}},{"endpoint":"y","params":{"a":{"c":3}}}`}, []string{"overwritten-parameter /config/jobs/0/params/a/b"}},
		{"a text where paging needs an object", given{api: `,"pagination":{"method":"response.param","responseParam":"n","queryParam":"v.a.b","paramDelimiter":"."}`, jobs: `{"endpoint":"x","params":{"v":"{}"}},{"endpoint":"y","params":{"v":{"a":null}}},{"endpoint":"z","params":{"v":{"a":3}}}`}, []string{"overwritten-parameter /config/jobs/0/params/v", "overwritten-parameter /config/jobs/2/params/v/a"}},
		{"settings of parameters that paging does not set", given{api: `,"pagination":{"method":"link","paramDelimiter":".","paramsInQuery":true}`, jobs: `{"endpoint":"x"}`}, []string{"no-effect /api/pagination/paramDelimiter", "no-effect /api/pagination/paramsInQuery"}},
		{"settings of another method", given{api: `,"pagination":{"method":"multiple","rel":"next","scrollers":{"default":{"method":"offset","limit":1,"urlKey":"next"},"b":{"method":"response.url","urlKey":"next"}}}`, jobs: `{"endpoint":"x"},{"endpoint":"y","scroller":"b"}`}, []string{"no-effect /api/pagination/scrollers/default/urlKey"}},
		{"settings of parameters beside several scrollers", given{api: `,"pagination":{"method":"multiple","paramDelimiter":".","scrollers":{"default":{"method":"pagenum","paramDelimiter":"."},"b":{"method":"response.url","paramsInQuery":true}}}`, jobs: `{"endpoint":"x"},{"endpoint":"y","scroller":"b"}`}, []string{"no-effect /api/pagination/paramDelimiter", "no-effect /api/pagination/scrollers/b/paramsInQuery"}},
		{"a condition without a method, and its foreign path", given{api: `,"pagination":{"stopWhen":"a[0]==1|links.[rel=next].href=="}`, jobs: `{"endpoint":"x"}`}, []string{"no-effect /api/pagination/stopWhen", "foreign-path /api/pagination/stopWhen"}},
		{"a page number of the job's own", given{api: `,"pagination":{"method":"pagenum","pageParam":"p"}`, jobs: `{"endpoint":"x","params":{"p":3,"page":1}}`}, []string{"overwritten-parameter /config/jobs/0/params/p"}},
		{"an offset of the job's own", given{api: fmt.Sprintf(multiple, ""), jobs: `{"endpoint":"x","scroller":"a","params":{"offset":3,"limit":1}},{"endpoint":"y","scroller":"b"}`}, []string{"overwritten-parameter /config/jobs/0/params/offset"}},
		{"an offset to begin at", given{api: `,"pagination":{"method":"offset","limit":2,"offsetFromJob":true}`, jobs: `{"endpoint":"x","params":{"offset":3}}`}, nil},
		{"a first page without parameters", given{api: `,"pagination":{"method":"pagenum","firstPageParams":false}`, jobs: `{"endpoint":"x","params":{"page":3}}`}, nil},
		{"a cursor's first value", given{api: `,"pagination":{"method":"cursor","idKey":"id","param":"since"}`, jobs: `{"endpoint":"x","params":{"since":3}}`}, nil},

		{"values that a body does not use", given{
			api:  `,"authentication":{"type":"login","loginRequest":{"endpoint":"l","method":"POST","body":{"type":"text/xml","text":"<a>{b}</a>","values":{"b":1,"#c":"long enough"}}}},"pagination":{"method":"response.param","responseParam":"n","scrollRequest":{"body":{"type":"application/json","text":["[{n}]"],"values":{"n":{"paging":"next"},"m":1}}}}`,
			jobs: `{"endpoint":"x","method":"POST","body":{"type":"text/plain","text":"{ a } {b}","values":{"a":1,"b":2}}},{"endpoint":"y","method":"PUT","body":{"type":"text/xml","text":"<a/>"}}`},
			[]string{"no-effect /api/pagination/scrollRequest/body/values/m", "no-effect /api/authentication/loginRequest/body/values/#c", "no-effect /config/jobs/0/body/values/a"}},
		{"paging values in a body", given{api: `,"pagination":{"method":"pagenum"}`, jobs: `{"endpoint":"x","method":"POST","body":{"type":"text/xml","text":"<a>{p}{q}</a>","values":{"p":{"paging":"page"},"q":{"paging":"offset"}}}}`}, []string{"unevaluated-expression /config/jobs/0/body/values/q"}},
		{"misspelt expressions in a body", given{config: `,"team":"t"`, jobs: `{"endpoint":"x","method":"POST","body":{"type":"text/xml","text":"<a>{p}</a>","values":{"p":{"attribute":"team"}}}}`}, []string{"unevaluated-expression /config/jobs/0/body/values/p"}},
		{"windows that only a body refers to", given{jobs: `{"endpoint":"x","method":"POST","windows":{"from":"2024-01-01","step":"1 day","format":"Y-m-d"},"body":{"type":"text/xml","text":"<a>{p}</a>","values":{"p":{"window":"start"}}}}`}, nil},
		{"misspelt expressions", given{config: `,"team":"t","a":{"b":1}`, jobs: `{"endpoint":"x","params":{"a":{"attribute":"team"},"b":[{"Attr":"a.b"}],"c":{"attribute":"color"},"d":{"literals":"x"},"e":{"fn":"md5","args":["x"]},"f":{"function":"json_encode","args":[{"attribute":"team"}]},"g":{"times":"team"},"h":{"literals":"team"},"i":{"attribute":"x","default":"team"}}}`},
			[]string{"unevaluated-expression /config/jobs/0/params/a", "unevaluated-expression /config/jobs/0/params/b/0", "unevaluated-expression /config/jobs/0/params/e"}},
		{"a misspelt call that makes all parameters", given{jobs: `{"endpoint":"x","params":{"func":"json_decode","args":["{}"]}},{"endpoint":"y","params":{"function":"json_decode","arguments":["{}"]}},{"endpoint":"z","params":{"function":"poll","arguments":["{}"]}},{"endpoint":"w","params":{"function":"json_decode","args":["{}"]}}`},
			[]string{"unevaluated-expression /config/jobs/0/params", "unevaluated-expression /config/jobs/1/params"}},
		{"values of paging where there are none", given{api: fmt.Sprintf(multiple, "") + `,"http":{"defaultOptions":{"params":{"p":[{"paging":"offset"}]}}}`, jobs: `{"endpoint":"x","scroller":"a","params":{"a":{"paging":"page"},"b":[{"paging":"offst"}],"c":{"paging":"offset"},"d":{"paging":"data"}}},
			{"endpoint":"y","scroller":"b","headers":{"Y":{"paging":"limit"}},"userData":{"paging":"page","u":{"paging":"page"}},"children":[{"endpoint":"z/{i}","placeholders":{"i":"i"},"params":{"paging":"offset","z":{"paging":"cursor"}}}]}`},
			[]string{"unevaluated-expression /config/jobs/0/params/a", "unevaluated-expression /config/jobs/0/params/b/0", "unevaluated-expression /config/jobs/1/headers/Y", "unevaluated-expression /config/jobs/1/userData/u", "unevaluated-expression /config/jobs/1/children/0/params/z", "unevaluated-expression /api/http/defaultOptions/params/p/0"}},
		{"a value of paging in the request for later pages", given{api: `,"pagination":{"method":"response.param","responseParam":"n","queryParam":"q","scrollRequest":{"params":{"after":{"paging":"next"}}}}`}, []string{"unevaluated-expression /api/pagination/scrollRequest/params/after"}},
		{"values of paging that the job places", given{api: `,"pagination":{"method":"offset","limit":2,"offsetParam":"o.x","limitParam":"l","paramDelimiter":"."}`, jobs: `{"endpoint":"x","params":{"o":{"paging":"offset"},"l":{"paging":"limit"}}},{"endpoint":{"function":"concat","args":["y/",{"paging":"offset"}]},"dataType":"y","params":{"o":"text","l":2}}`}, nil},

		{"a boolean by its word", given{jobs: `{"endpoint":"x","rowFilter":"a==true","children":[
			{"endpoint":"{i}","placeholders":{"i":"i"},"recursionFilter":"a==true"},{"endpoint":"b{i}","placeholders":{"i":"i"},"recursionFilter":"b>1|a!=false"},
			{"endpoint":"c{i}","placeholders":{"i":"i"},"recursionFilter":"a==1&b~~true&c>true&d==truex"}]}`},
			[]string{"boolean-word /config/jobs/0/children/0/recursionFilter", "boolean-word /config/jobs/0/children/1/recursionFilter"}},
		{"placeholders that share a column", given{jobs: `{"endpoint":"x","children":[{"endpoint":"{o}","placeholders":{"o":"id"},"children":[
			{"endpoint":"{2:a}/{b}","placeholders":{"2:a":"id","b":"id"}},
			{"endpoint":"1/{a}/{b}","placeholders":{"a":{"path":"id","function":"md5","args":[{"placeholder":"value"}]},"b":"parent_id"}},
			{"endpoint":"2/{a}/{1:b}","placeholders":{"a":"id","1:b":"id"}},{"endpoint":"3/{a}/{2:b}","placeholders":{"a":"id","2:b":"group_id"}}]}]}`},
			[]string{"shared-column /config/jobs/0/children/0/children/0/placeholders/2:a", "shared-column /config/jobs/0/children/0/children/1/placeholders/a"}},

		{"placeholders that share a column which is not stored", given{config: `,"mappings":{"m":{"v":"v"},"n":{"v":"v","l":{"type":"table","destination":"l","tableMapping":{"parent_id/x":{"type":"user","mapping":{"destination":"p"}}}}}}`,
			jobs: `{"endpoint":"x","children":[{"endpoint":"{o}","placeholders":{"o":"id"},"children":[
			{"endpoint":"{2:a}/{b}","placeholders":{"2:a":"id","b":"id"},"dataType":"m"},{"endpoint":"2/{2:a}/{b}","placeholders":{"2:a":"id","b":"id"},"dataType":"n"},
			{"endpoint":"3/{2:a}/{b}","placeholders":{"2:a":"id","b":"id"},"store":false,"children":[{"endpoint":"4/{c}","placeholders":{"c":"x"}}]}]}]}`},
			[]string{"shared-column /config/jobs/0/children/0/children/1/placeholders/2:a"}},

		{"foreign paths to names of columns", given{jobs: `{"endpoint":"a","dataField":{"path":"r","columns":"$.names"}},{"endpoint":"b","dataField":{"path":"r","columns":{"k":"head[0].names","l.[].v":"names.[].n","m":"names.[].x.[k=v]..y"}}},
			{"endpoint":"c","dataField":{"path":"r","delimiter":"/","columns":"a.b/[]/c.d"}}`},
			[]string{"foreign-path /config/jobs/0/dataField/columns", "foreign-path /config/jobs/1/dataField/columns/k", "foreign-path /config/jobs/1/dataField/columns/m"}},

		{"windows that no request depends on", given{jobs: `{"endpoint":"x","windows":{"from":"2024-01-01","step":"1 day","lookback":"1 day"},"userData":{"w":{"window":"start"}},"remember":{"u":{"window":"end"}}},
			{"endpoint":"y","windows":{"from":{"remembered":"u","default":"2024-01-01"},"step":"1 day","lookback":"1 day"},"params":{"a":[{"window":"start"}]}},
			{"endpoint":"z","windows":{"from":"2024-01-01","step":"1 day"},"children":[{"endpoint":"c/{i}","placeholders":{"i":"i"},"headers":{"X":{"window":"end"}}}]}`},
			[]string{"no-effect /config/jobs/0/windows", "no-effect /config/jobs/0/windows/lookback", "replaced-table /config/jobs/1"}},
		{"windows below a key that is a reference elsewhere", given{jobs: `{"endpoint":"x","method":"POST","params":{"query":{"function":"sprintf","args":["%s",{"window":"start"}]}},"windows":{"from":"2024-01-01","step":"1 day"}}`}, nil},
		{"windows in every request", given{api: `,"http":{"defaultOptions":{"params":{"d":{"window":"start"}}}}`, jobs: `{"endpoint":"x","windows":{"from":"2024-01-01","step":"1 day"}}`}, nil},
		{"windows in later requests", given{api: `,"pagination":{"method":"response.param","responseParam":"n","queryParam":"n","scrollRequest":{"params":{"d":{"window":"start"}}}}`, jobs: `{"endpoint":"x","windows":{"from":"2024-01-01","step":"1 day"}}`}, nil},
		{"values that nothing remembers, and that no expression reads", given{config: `,"incrementalOutput":true`, api: `,"http":{"headers":{"X-A":{"remembered":"sinc"}},"defaultOptions":{"params":{"d":{"remembered":"since"}}}}`,
			jobs: `{"endpoint":"x","params":{"a":[{"remembered":"other","default":1}],"b":{"literal":{"remembered":"plain"}}},"remember":{"since":{"max":"t"},"idle":{"min":"t"},"#token":{"response":"token"}}}`},
			[]string{"unknown-remembered /api/http/headers/X-A/remembered", "unknown-remembered /config/jobs/0/params/a/0/remembered", "unread-remembered /config/jobs/0/remember/idle", "unread-remembered /config/jobs/0/remember/#token", "repeated-row /config/jobs/0/remember/since"}},
		{"values of placeholders that the job has not", given{config: `,"incrementalOutput":true`, jobs: `{"endpoint":"x","params":{"a":{"remembered":"since"}},"children":[{"endpoint":"{i}","placeholders":{"i":"i"},"params":{"a":{"remembered":"since"}},"remember":{"since":{"max":"t","per":["i"]}},
			"children":[{"endpoint":"y/{j}","placeholders":{"j":"j"},"params":{"a":{"remembered":"since"}}}]}]}`}, []string{"unknown-remembered /config/jobs/0/params/a/remembered", "repeated-row /config/jobs/0/children/0/remember/since"}},
		{"tables that what is new replaces", given{jobs: `{"endpoint":{"remembered":"a","default":"x"},"dataType":"d","remember":{"a":{"response":"n"}},"children":[{"endpoint":"{i}","placeholders":{"i":"i"},"headers":{"H":[{"remembered":"a"}]},"userData":{"u":{"remembered":"a"}}}]},{"endpoint":"y","userData":{"u":{"remembered":"a"}}}`},
			[]string{"replaced-table /config/jobs/0", "replaced-table /config/jobs/0/children/0"}},
		{"tables of child jobs that what is new replaces", given{jobs: `{"endpoint":"x","store":false,"params":{"a":{"remembered":"a"}},"remember":{"a":{"max":"t"}},"children":[{"endpoint":"{i}","placeholders":{"i":"i"}}]}`},
			[]string{"replaced-table /config/jobs/0"}},
		{"a default value that all jobs send", given{api: `,"http":{"defaultOptions":{"params":{"a":{"remembered":"a"}}}}`, jobs: `{"endpoint":"x","remember":{"a":{"max":"t"}}},{"endpoint":"y","store":false}`},
			[]string{"replaced-table /config/jobs/0"}},
		{"a header that all jobs send", given{config: `,"http":{"headers":{"X":{"remembered":"a"}}}`, jobs: `{"endpoint":"x","remember":{"a":{"max":"t"}}}`}, []string{"replaced-table /config/jobs/0"}},
		{"a value in requests for later pages", given{api: `,"pagination":{"method":"response.param","responseParam":"n","queryParam":"n","scrollRequest":{"params":{"d":{"remembered":"a"}}}}`, jobs: `{"endpoint":"x","remember":{"a":{"max":"t"}}}`},
			[]string{"replaced-table /config/jobs/0"}},
		{"a value that a login sends", given{api: `,"authentication":{"type":"login","loginRequest":{"endpoint":"login","params":{"r":{"remembered":"#r","default":"x"}},"remember":{"#r":{"response":"r"}}}}`}, nil},
		{"rows that are fetched again, without a primary key", given{config: `,"incrementalOutput":true,"mappings":{"y":{"id":"id","n":{"mapping":{"destination":"n"}}}}`,
			jobs: `{"endpoint":"x","params":{"a":{"remembered":"a"}},"remember":{"a":{"max":"t"}}},{"endpoint":"y","windows":{"from":{"remembered":"u","default":"2024-01-01"},"step":"1 day","lookback":"2 days"},"params":{"f":{"window":"start"}},"remember":{"u":{"window":"end"}}}`},
			[]string{"repeated-row /config/jobs/0/remember/a", "repeated-row /config/jobs/1/windows/lookback"}},
		{"rows that are fetched again, with a primary key", given{config: `,"incrementalOutput":true,"mappings":{"x":{"id":{"mapping":{"destination":"id","primaryKey":true}}},"y":{"n":"n","id":{"mapping":{"destination":"id","primaryKey":true}}}}`,
			jobs: `{"endpoint":"x","params":{"a":{"remembered":"a"}},"remember":{"a":{"max":"t"}}},{"endpoint":"y","windows":{"from":{"remembered":"u","default":"2024-01-01"},"step":"1 day","lookback":"2 days"},"params":{"f":{"window":"start"}},"remember":{"u":{"window":"end"}}}`}, nil},
		{"no rows are fetched again", given{config: `,"incrementalOutput":true`, jobs: `{"endpoint":"x","params":{"a":{"remembered":"a"}},"remember":{"a":{"last":"t"}}},{"endpoint":"y","store":false,"params":{"b":{"remembered":"b"}},"remember":{"b":{"max":"t"}}},
			{"endpoint":"z","windows":{"from":{"remembered":"u","default":"2024-01-01"},"step":"1 day"},"params":{"f":{"window":"start"}},"remember":{"u":{"window":"end"}}}`}, nil},
		{"attributes that nothing sets, with a default", given{config: `,"lang":"en","a":{"b":1,"c":null}`, jobs: `{"endpoint":"x","params":{"l":[{"attr":"langg","default":"en"}],"m":{"attr":"lang","default":"en"},"n":{"attr":"a.c","default":1},"o":{"function":"concat","args":[{"attr":"a.d","default":"x"},{"attr":"a.b"}]}}}`},
			[]string{"unset-attribute /config/jobs/0/params/l/0/attr", "unset-attribute /config/jobs/0/params/o/args/0/attr"}},
		{"an attribute of one iteration, with a default", given{jobs: `{"endpoint":"x","params":{"l":{"attr":"lang","default":"en"}}}`, rest: `,"iterations":[{},{"lang":"cs"}]`}, nil},
		{"every item of a list elsewhere than in dataField", given{api: `,"pagination":{"method":"response.url","urlKey":"a.[].next"}`, jobs: `{"endpoint":"x","dataField":"a.[].rows","remember":{"m":{"max":"b.[].c"}},"children":[{"endpoint":"y/{i}","dataField":{"path":"[]/r","delimiter":"/"},"placeholders":{"i":"[].id"}}]}`},
			[]string{"foreign-path /config/jobs/0/remember/m/max", "foreign-path /config/jobs/0/children/0/placeholders/i", "foreign-path /api/pagination/urlKey", "unread-remembered /config/jobs/0/remember/m"}},
		{"headers in conditions", given{api: `,"pagination":{"method":"pagenum","stopWhen":"header(X-More)==false"}`, jobs: `{"endpoint":"x","rowFilter":"header(X)==1","rules":[{"when":"header(X)==1","do":"fail"}],"children":[{"endpoint":"y","recursionFilter":"a==1&Header(X)==1"}]}`},
			[]string{"foreign-path /config/jobs/0/rowFilter", "foreign-path /config/jobs/0/children/0/recursionFilter"}},
		{"conditions with quotes", given{api: `,"pagination":{"method":"pagenum","stopWhen":"a==\"b\""}`, jobs: `{"endpoint":"x","rowFilter":"a==1&b!='c'","rules":[{"when":"status=='X'","do":"fail"},{"when":"status==it's","do":"fail"}]}`},
			[]string{"foreign-path /api/pagination/stopWhen", "foreign-path /config/jobs/0/rowFilter", "foreign-path /config/jobs/0/rules/0/when"}},
		{"conditions with blanks", given{jobs: `{"endpoint":"x","rowFilter":"a == 'b'|c d==e","rules":[{"when":"a==b & c!=d","do":"fail"}],"children":[{"endpoint":"{i}","placeholders":{"i":"i"},"recursionFilter":"a ==b"}]}`},
			[]string{"foreign-path /config/jobs/0/rowFilter", "foreign-path /config/jobs/0/rules/0/when", "foreign-path /config/jobs/0/children/0/recursionFilter"}},
		{"paths of remembered values", given{config: `,"incrementalOutput":true`, jobs: `{"endpoint":"x","responseFilter":"o","params":{"a":{"remembered":"a"},"b":{"remembered":"b"},"c":{"remembered":"c"}},"remember":{"a":{"max":"$.t"},"b":{"last":"o.a"},"c":{"first":"o"}}}`},
			[]string{"foreign-path /config/jobs/0/remember/a/max", "unreachable-path /config/jobs/0/remember/b/last", "repeated-row /config/jobs/0/remember/a"}},

		{"pages in advance, one after another", given{api: `,"http":{"lookahead":3},"pagination":{"method":"multiple","scrollers":{"default":{"method":"pagenum","total":"t","totalPages":"p"}}}`},
			[]string{"idle-lookahead /api/http/lookahead"}},
		{"pages in advance", given{api: `,"http":{"lookahead":3,"concurrency":2},"pagination":{"method":"offset","limit":1,"total":"t"}`}, nil},
		{"no look-ahead", given{api: `,"http":{"lookahead":"0"}`}, nil},

		{"a batch of a root job", given{jobs: `{"endpoint":"x","batch":5}`}, []string{"orphan-placeholder /config/jobs/0/batch"}},
		{"a row filter into a text", given{jobs: `{"endpoint":"x","responseFilter":"a","rowFilter":"a.b==1|c==2"}`}, []string{"unreachable-path /config/jobs/0/rowFilter"}},
		{"a column of a batch's placeholder", given{config: `,"mappings":{"o":{"parent_id":{"type":"user","mapping":{"destination":"id"}}}}`, jobs: `{"endpoint":"x","children":[{"endpoint":"{i}","dataType":"o","placeholders":{"i":"id"},"batch":5}]}`}, []string{"unreachable-path /config/mappings/o/parent_id"}},
		{"a host of a row, asked without credentials", given{api: auth, config: `,"#k":"long-s"`, jobs: `{"endpoint":"x","children":[{"endpoint":"https://{host}/x","placeholders":{"host":"host"},"credentials":false}]}`}, nil},
		{"an open address, asked without credentials", given{api: auth, config: `,"#k":"long-s"`, jobs: `{"endpoint":"http://files.example.com/x","credentials":false}`}, nil},

		{"incremental mappings without a primary key", given{config: `,"incrementalOutput":true,"mappings":{"users":{"id":"id"},"a":{"id":{"mapping":{"destination":"id","primaryKey":true}}},"b":{"x":"X"}}`, jobs: `{"endpoint":"users"},{"endpoint":"a"},{"endpoint":"b","store":false,"children":[{"endpoint":"users/{i}","dataType":"users","placeholders":{"i":"x"}}]},{"endpoint":"c"}`}, []string{"no-primary-key /config/mappings/users"}},
		{"booleans with one cell for false and null", given{config: `,"mappings":{"users":{"a":{"mapping":{"destination":"a","type":"BOOLEAN"}},"c":{"type":"table","destination":"c","tableMapping":{"b":{"mapping":{"destination":"b","type":"BOOLEAN"}}}}}}`, jobs: `{"endpoint":"users"}`}, []string{"empty-boolean /config/mappings/users/a/mapping/type", "empty-boolean /config/mappings/users/c/tableMapping/b/mapping/type"}},
		{"booleans that are texts", given{config: `,"booleans":"text","mappings":{"users":{"a":{"mapping":{"destination":"a","type":"BOOLEAN","nullable":false}}}}`, jobs: `{"endpoint":"users"}`}, nil},
		{"a mapping no job feeds", given{config: `,"mappings":{"user":{"id":"id"},"users":{"id":"id"}}`}, []string{"unused-mapping /config/mappings/user"}},
		{"a mapping of a child's data type", given{config: `,"mappings":{"o":{"id":"id"}}`, jobs: `{"endpoint":"x","children":[{"endpoint":"{i}","dataType":"o","placeholders":{"i":"i"}}]}`}, nil},
		{"a mapping that one iteration feeds", given{config: `,"mappings":{"o":{"id":"id"}}`, rest: `,"iterations":[{"jobs":[{"endpoint":"o"}]},{"jobs":[{"endpoint":"p"}]}]`}, nil},

		{"errors that become rows", given{api: `,"http":{"ignoreErrors":[404]}`, config: `,"mappings":{"o":{"id":"id"}}`,
			jobs: `{"endpoint":"x","children":[{"endpoint":"{i}","dataType":"o","placeholders":{"i":"i"},"children":[{"endpoint":"{i}/p"}]},{"endpoint":"y/{i}","placeholders":{"i":"i"}}]}`},
			[]string{"error-row /config/jobs/0/children/0/children/0", "error-row /config/jobs/0/children/1"}},
		{"no ignored errors", given{api: `,"http":{"ignoreErrors":[]}`, jobs: `{"endpoint":"x","children":[{"endpoint":"{i}","placeholders":{"i":"i"}}]}`}, nil},
		{"ignored errors of a root job", given{api: `,"http":{"ignoreErrors":[404]}`}, nil},
		{"ignored errors of one iteration", given{api: `,"http":{"ignoreErrors":["404"]}`, jobs: `{"endpoint":"x","children":[{"endpoint":"{i}","dataType":"o","placeholders":{"i":"i"}}]}`, rest: `,"iterations":[{"mappings":{"o":{"id":"id"}}},{}]`},
			[]string{"error-row /config/jobs/0/children/0"}},

		{"a placeholder that is not defined", given{jobs: `{"endpoint":"x","children":[{"endpoint":"{ib}/{j}","placeholders":{"j":"j"}}]}`}, []string{"unfilled-placeholder /config/jobs/0/children/0/endpoint"}},
		{"a placeholder from above", given{jobs: `{"endpoint":"x","children":[{"endpoint":"{j}","placeholders":{"j":"j"},"children":[{"endpoint":"{j}/{2:k}","placeholders":{"2:k":"k"}}]}]}`}, nil},
		{"a placeholder at a root job", given{jobs: `{"endpoint":"x/{id}"}`}, []string{"unfilled-placeholder /config/jobs/0/endpoint"}},
		{"a filter above the child it is for", given{jobs: `{"endpoint":"x","recursionFilter":"a==1","children":[{"endpoint":"{i}","placeholders":{"i":"i"}}]}`}, []string{"orphan-placeholder /config/jobs/0/recursionFilter"}},
		{"JSON in an endpoint", given{jobs: `{"endpoint":"x?q={\"a\":1}"}`}, nil},
		{"a root job with a parent's settings", given{jobs: `{"endpoint":"x","placeholders":{"i":"i"},"recursionFilter":"a==1"}`}, []string{"orphan-placeholder /config/jobs/0/placeholders", "orphan-placeholder /config/jobs/0/recursionFilter"}},

		{"paths of other languages", given{api: `,"pagination":{"method":"response.url","urlKey":"links[0].next"}`, jobs: `{"endpoint":"x","dataField":"/a/b","children":[{"endpoint":"{i}{j}","placeholders":{"i":"$.id","j":{"path":"a[1]","function":"md5","args":[{"placeholder":"value"}]}}}]}`},
			[]string{"foreign-path /config/jobs/0/dataField", "foreign-path /config/jobs/0/children/0/placeholders/i", "foreign-path /config/jobs/0/children/0/placeholders/j/path", "foreign-path /api/pagination/urlKey"}},
		{"choices of items in other languages", given{api: `,"pagination":{"method":"multiple","scrollers":{"a":{"method":"response.param","queryParam":"p","responseParam":"hits[-1].sort"},"b":{"method":"response.url","next":{"response":"link[@rel=next].@href"}},"c":{"method":"response.url","next":{"response":"link.[@rel=\"next\"].@href"}},"d":{"method":"response.url","urlKey":"link.[rel=next.href"},"e":{"method":"response.url","urlKey":"link.[?(@.rel=='next')].href"},"f":{"method":"response.url","urlKey":"links.[rel=a.b].href"}}}`,
			jobs: `{"endpoint":"1","scroller":"a"},{"endpoint":"2","scroller":"b"},{"endpoint":"3","scroller":"c"},{"endpoint":"4","scroller":"d"},{"endpoint":"5","scroller":"e"},{"endpoint":"6","scroller":"f","responseFilter":["tags[]"]}`},
			[]string{"foreign-path /api/pagination/scrollers/a/responseParam", "foreign-path /api/pagination/scrollers/b/next/response", "foreign-path /api/pagination/scrollers/c/next/response", "foreign-path /api/pagination/scrollers/d/urlKey", "foreign-path /api/pagination/scrollers/e/urlKey"}},
		{"totals in other languages", given{api: `,"http":{"concurrency":2},"pagination":{"method":"offset","limit":1,"total":"$.total"}`}, []string{"foreign-path /api/pagination/total"}},
		{"a path with another separator", given{jobs: `{"endpoint":"x","dataField":{"path":"a/b","delimiter":"/"}}`}, nil},
		{"keys without a name", given{api: `,"pagination":{"method":"response.url","urlKey":"/next","delimiter":"/"}`, jobs: `{"endpoint":"x","dataField":"data..items","responseFilter":["a."],"children":[{"endpoint":"{i}","placeholders":{"i":".id"},"recursionFilter":"a==1&b.==2"}]}`},
			[]string{"foreign-path /config/jobs/0/dataField", "foreign-path /config/jobs/0/responseFilter", "foreign-path /config/jobs/0/children/0/placeholders/i", "foreign-path /config/jobs/0/children/0/recursionFilter", "foreign-path /api/pagination/urlKey"}},
		{"a path with all items", given{jobs: `{"endpoint":"x","dataField":"$.data.items[*]"},{"endpoint":"y","dataField":"items[*]"}`}, []string{"foreign-path /config/jobs/0/dataField", "foreign-path /config/jobs/1/dataField"}},
		{"foreign paths of filters, stoppers and mappings", given{api: `,"pagination":{"method":"pagenum","limitStop":{"field":"$.total"}}`, config: `,"mappings":{"x":{"$.id":"id","t":{"type":"table","destination":"t","tableMapping":{"a[0]":"a"}}}}`, jobs: `{"endpoint":"x","responseFilter":"tags[0]"}`},
			[]string{"foreign-path /config/jobs/0/responseFilter", "foreign-path /config/mappings/x/$.id", "foreign-path /config/mappings/x/t/tableMapping/a[0]", "foreign-path /api/pagination/limitStop/field"}},
		{"the whole item", given{api: `,"pagination":{"method":"cursor","idKey":".","param":"p"}`, jobs: `{"endpoint":"x","dataField":".","children":[{"endpoint":"{i}","placeholders":{"i":"."}}]}`}, nil},

		{"below a filtered value", given{jobs: `{"endpoint":"x","responseFilter":"a","children":[{"endpoint":"{i}{j}","placeholders":{"i":"a.id","j":{"path":"a","function":"md5","args":[{"placeholder":"value"}]}},"recursionFilter":"a.b==1|a==2"}]}`},
			[]string{"unreachable-path /config/jobs/0/children/0/placeholders/i", "unreachable-path /config/jobs/0/children/0/recursionFilter"}},
		{"below a filtered value of a job further above", given{jobs: `{"endpoint":"x","responseFilter":"a","children":[{"endpoint":"{i}","placeholders":{"i":"id"},"children":[{"endpoint":"{2:i}{j}","placeholders":{"2:i":"a.id","j":"a.id"}}]}]}`},
			[]string{"shared-column /config/jobs/0/children/0/children/0/placeholders/2:i", "unreachable-path /config/jobs/0/children/0/children/0/placeholders/2:i"}},
		{"below filtered items", given{jobs: `{"endpoint":"x","responseFilter":["l[]","o.p[].q"],"children":[{"endpoint":"{a}{b}{c}{d}{e}","placeholders":{"a":"l.0","b":"l.0.id","c":"o.p.0.q","d":"o.p.0.r.s","e":"o.p.0.q.s"}}]}`},
			[]string{"unreachable-path /config/jobs/0/children/0/placeholders/b", "unreachable-path /config/jobs/0/children/0/placeholders/e"}},
		{"a filter below a filter", given{jobs: `{"endpoint":"x","responseFilter":["a.b","a","a.c[]"]}`}, []string{"unreachable-path /config/jobs/0/responseFilter"}},
		{"a filter beside and above a filter", given{jobs: `{"endpoint":"x","responseFilter":["a[].b","a[].c","a"]}`}, nil},
		{"a filter of another separator", given{jobs: `{"endpoint":"x","responseFilter":"a/b","responseFilterDelimiter":"/","children":[{"endpoint":"{i}{j}","placeholders":{"i":"a.b.c","j":"a.c"}}]}`}, []string{"unreachable-path /config/jobs/0/children/0/placeholders/i"}},
		{"a filter that is a separator", given{jobs: `{"endpoint":"x","responseFilter":".","children":[{"endpoint":"{i}","placeholders":{"i":"a.b"}}]}`}, nil},
		{"a cursor below a filtered value", given{api: `,"pagination":{"method":"cursor","idKey":"a.id","param":"p"}`, jobs: `{"endpoint":"x","responseFilter":"a"},{"endpoint":"y","responseFilter":"b"}`}, []string{"unreachable-path /api/pagination/idKey"}},
		{"columns below a filtered value", given{config: `,"mappings":{"o":{"a.b":"x","a":"a"}}`, jobs: `{"endpoint":"x","dataType":"o","responseFilter":"a"}`}, []string{"unreachable-path /config/mappings/o/a.b"}},
		{"columns that another job fills", given{config: `,"mappings":{"o":{"a.b":"x","a":"a"}}`, jobs: `{"endpoint":"x","dataType":"o","responseFilter":"a"},{"endpoint":"y","dataType":"o"}`}, nil},

		{"columns of user data", given{config: `,"userData":"u","mappings":{"o":{"userData":{"type":"user","mapping":{"destination":"a"}},"job_parent_id":{"type":"user","mapping":{"destination":"b"}},"parent_id":{"type":"user","mapping":{"destination":"c"}},"l":{"type":"table","destination":"t","tableMapping":{"tagg":{"type":"user","mapping":{"destination":"d"}}}}}}`,
			jobs: `{"endpoint":"o","userData":{"tag":1}}`},
			[]string{"unreachable-path /config/mappings/o/job_parent_id", "unreachable-path /config/mappings/o/parent_id", "unreachable-path /config/mappings/o/l/tableMapping/tagg"}},
		{"columns of a child job", given{config: `,"userData":"u","mappings":{"o":{"userData":{"type":"user","mapping":{"destination":"a"}},"parent_id":{"type":"user","mapping":{"destination":"b"}},"parent_x":{"type":"user","mapping":{"destination":"c"}},"job_parent_id":{"type":"user","mapping":{"destination":"d"}}}}`,
			jobs: `{"endpoint":"x","children":[{"endpoint":"{i}","placeholders":{"i":"id"},"children":[{"endpoint":"{2:j}","dataType":"o","userData":5,"placeholders":{"2:j":{"path":"parent_x"}}}]}]}`},
			[]string{"unreachable-path /config/mappings/o/userData"}},
		{"columns that one iteration fills", given{config: `,"mappings":{"o":{"u":{"type":"user","mapping":{"destination":"u"}},"a.b":"b"}}`, jobs: `{"endpoint":"o","responseFilter":"a"}`, rest: `,"iterations":[{"userData":{"u":1}},{"jobs":[{"endpoint":"o"}]}]`}, nil},
		{"user data that a placeholder shadows", given{jobs: `{"endpoint":"x","children":[{"endpoint":"{i}","placeholders":{"i":"id"},"userData":{"parent_id":1,"parent_i":2}}]}`}, []string{"no-effect /config/jobs/0/children/0/userData/parent_id"}},

		{"the response of a login as text", given{api: `,"authentication":{"type":"login","format":"text","loginRequest":{"endpoint":"l"},"apiRequest":{"headers":{"response":"x","A":{"response":"data"},"B":{"function":"concat","args":["x",{"response":"token"}]}},"query":{"q":{"response":"data.a"}}},"expires":{"response":"expires"}}`},
			[]string{"unreachable-path /api/authentication/apiRequest/headers/B/args/1/response", "unreachable-path /api/authentication/apiRequest/query/q/response", "unreachable-path /api/authentication/expires/response"}},
		{"the response of a login as JSON", given{api: `,"authentication":{"type":"login","loginRequest":{"endpoint":"l"},"apiRequest":{"headers":{"A":{"response":"token"}}},"expires":{"response":"expires"}}`}, nil},
		{"the response of a login where it is not known", given{api: `,"authentication":{"type":"login","loginRequest":{"endpoint":"l","params":{"response":"x","p":{"response":"a"}}}}`, jobs: `{"endpoint":"x","params":{"response":"y","t":[{"response":"token"}]}}`},
			[]string{"unevaluated-expression /api/authentication/loginRequest/params/p", "unevaluated-expression /config/jobs/0/params/t/0"}},
		{"a parameter that looks like the response of a login", given{jobs: `{"endpoint":"x","params":{"fields":{"response":"full"}}}`}, nil},

		{"a scroller where nothing is named", given{api: `,"pagination":{"method":"pagenum"}`, jobs: `{"endpoint":"x","scroller":"a"}`}, []string{"no-effect /config/jobs/0/scroller"}},
		{"one page on purpose", given{api: `,"pagination":{"forceStop":{"pages":1}}`}, nil},
		{"rules that stop a job without a next page", given{api: `,"pagination":{"forceStop":{"pages":2},"limitStop":{"count":1},"nextPageFlag":{}}`}, []string{"no-effect /api/pagination/forceStop", "no-effect /api/pagination/limitStop"}},

		{"placeholders in texts", given{jobs: `{"endpoint":"x","children":[{"endpoint":"{i}","placeholders":{"i":"i"},"params":{"a":"{i}","b":["x{i}y","{j}"],"c":{"placeholder":"i"}},"headers":{"X":"{i}"},"userData":{"u":"{i}"}}]}`},
			[]string{"unfilled-placeholder /config/jobs/0/children/0/params/a", "unfilled-placeholder /config/jobs/0/children/0/params/b/0", "unfilled-placeholder /config/jobs/0/children/0/headers/X", "unfilled-placeholder /config/jobs/0/children/0/userData/u"}},
		{"placeholders in a computed endpoint", given{jobs: `{"endpoint":"x","children":[{"endpoint":{"function":"concat","args":["a/{i}/",{"placeholder":"i"}]},"dataType":"d","placeholders":{"i":"i"}}]}`},
			[]string{"unfilled-placeholder /config/jobs/0/children/0/endpoint/args/0"}},
		{"paths into parents", given{jobs: `{"endpoint":"x","responseFilter":"a","children":[{"endpoint":"y","params":{"p":{"parentItem":"$.b"},"q":{"parentItem":"a.b"}}}]}`},
			[]string{"foreign-path /config/jobs/0/children/0/params/p/parentItem", "unreachable-path /config/jobs/0/children/0/params/q/parentItem"}},
		{"data that is not an expression", given{api: `,"http":{"defaultOptions":{"params":{"a":{"attr":"x","op":"y"}}}}`}, nil},

		{"headers of the connection", given{api: `,"http":{"headers":{"content-length":"1","X":"1"}}`, jobs: `{"endpoint":"x","headers":{"Transfer-Encoding":"chunked"}}`},
			[]string{"unsendable-header /api/http/headers/content-length", "unsendable-header /config/jobs/0/headers/Transfer-Encoding"}},
		{"headers of an iteration", given{rest: `,"iterations":[{"http":{"headers":{"Trailer":"x"}}}]`}, []string{"unsendable-header /iterations/0/http/headers/Trailer"}},

		{"secrets in the open", given{api: `,"http":{"headers":{"Authorization":"Bearer x"}}`, config: `,"apiKey":"a","nested":{"access_token":"b"}`},
			[]string{"plain-secret /api/http/headers/Authorization", "plain-secret /config/apiKey", "plain-secret /config/nested/access_token"}},
		{"what only sounds like a secret", given{config: `,"#token":"long-a","pageToken":"b","token":{"attr":"#token"},"secret":"","password":"{{p}}","apiKey":null`}, nil},
		{"short secrets", given{api: `,"authentication":{"type":"basic"},"pagination":{"method":"response.param","responseParam":"#t","queryParam":"#p"}`,
			config: `,"#password":"X","username":"a","#pin":58,"#ok":"four","#none":" ","db":{"#pw":"ž"},"#env":{"env":"K"},"mappings":{"users":{"#id":"id"}}`},
			[]string{"short-secret /config/#password", "short-secret /config/#pin", "short-secret /config/db/#pw"}},
		{"names that are called like secrets", given{api: `,"pagination":{"method":"response.param","responseParam":"t","queryParam":"apikey","scrollRequest":{"params":{"secret":"a"}}}`}, nil},
		{"a parameter that is called like a setting", given{jobs: `{"endpoint":"x","params":{"pagination":{"apiKey":"a"}}}`}, []string{"plain-secret /config/jobs/0/params/pagination/apiKey"}},
		{"a secret in an iteration", given{rest: `,"iterations":[{"token":"x"}]`}, []string{"plain-secret /iterations/0/token"}},

		{"credentials without TLS", given{base: "http://api.example.com", api: auth, config: `,"#k":"long-x"`}, []string{"plain-address /api/baseUrl"}},
		{"credentials in a header", given{base: "http://api.example.com", api: `,"http":{"headers":{"K":{"attr":"#k"}}}`, config: `,"#k":"long-x"`}, []string{"plain-address /api/baseUrl"}},
		{"no credentials", given{base: "http://api.example.com"}, nil},
		{"the computer itself", given{base: "http://127.0.0.1:8080", api: auth, config: `,"#k":"long-x"`}, nil},
		{"the computer itself by name", given{base: "http://LOCALHOST", api: auth, config: `,"#k":"long-x"`}, nil},
		{"a nested secret in a header", given{base: "http://api.example.com", api: `,"http":{"headers":{"K":{"attr":"db.#k"}}}`, config: `,"db":{"#k":"long-x"}`}, []string{"plain-address /api/baseUrl"}},
		{"a user in the address", given{base: "http://ann:x@api.example.com"}, []string{"plain-address /api/baseUrl"}},
		{"an endpoint with an address", given{api: auth, config: `,"#k":"long-x"`, jobs: `{"endpoint":"http://other.example.com/x"}`}, []string{"plain-address /config/jobs/0/endpoint"}},
		{"a trusted origin without TLS", given{api: auth + `,"http":{"trustedOrigins":["https://a.example.com","http://*.example.com:8080"]}`, config: `,"#k":"long-x"`}, []string{"plain-address /api/http/trustedOrigins/1"}},
		{"hosts of rows", given{api: auth, config: `,"#k":"long-x"`, jobs: `{"endpoint":"x","children":[{"endpoint":"https://{h}/x","placeholders":{"h":"h"}},{"endpoint":"//a.{h}.test?x","placeholders":{"h":"h"}},{"endpoint":"https://a.test/{h}","placeholders":{"h":"h"}},{"endpoint":"{h}","placeholders":{"h":"h"}},{"endpoint":"https://a.test?h={h}","placeholders":{"h":"h"}}]}`},
			[]string{"withheld-credential /config/jobs/0/children/0/endpoint", "withheld-credential /config/jobs/0/children/1/endpoint"}},
		{"hosts of rows that are trusted", given{api: auth + `,"http":{"trustedOrigins":["https://*.test"]}`, config: `,"#k":"long-x"`, jobs: `{"endpoint":"x","children":[{"endpoint":"https://{h}/x","placeholders":{"h":"h"}}]}`}, nil},
		{"hosts of rows without credentials", given{jobs: `{"endpoint":"x","children":[{"endpoint":"https://{h}/x","placeholders":{"h":"h"}}]}`}, nil},
		{"behind an SSH server", given{base: "http://api.example.com", api: auth, config: `,"#k":"long-x"`, rest: `,"sshProxy":{"host":"h","port":22,"user":"u","#privateKey":"long-k"}`}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range checked(t, tt.given) {
				if p.Expected == "" {
					t.Errorf("%s says nothing", p.Code)
				}
				got = append(got, string(p.Code)+" "+p.Pointer)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q\n%s", got, tt.want, tt.text())
			}
		})
	}
}

// checked are the warnings about a document without problems.
func checked(t *testing.T, g given) failure.Problems {
	t.Helper()
	tree, err := value.Parse([]byte(g.text()))
	if err != nil {
		t.Fatal(err)
	}
	compiled, problems := config.Compile(tree, config.Options{Tree: schema.Default().Tree, Paging: schema.Default().Paging.Values})
	if len(*problems) > 0 {
		t.Fatal(problems)
	}
	engine.Compile(compiled, schema.Default().Features, false)
	return Check(Input{Tree: tree, Compiled: compiled, Language: schema.Default()})
}

// A misspelt reference is data: only the entry that it was meant to read is there to
// say so.
func TestMisspeltReading(t *testing.T) {
	for key, want := range map[string]string{
		"remembred": `did you mean "remembered" at /config/jobs/0/params/a/remembred?`,
		"remember":  `did you mean "remembered" at /config/jobs/0/params/a/remember?`,
		"since":     `send it in "params": {"remembered": "since"}`,
	} {
		found := checked(t, given{config: `,"incrementalOutput":true`, jobs: fmt.Sprintf(`{"endpoint":"x","params":{"a":{%q:"since"}},"remember":{"since":{"max":"t"}}}`, key)})
		if len(found) != 1 || !strings.HasSuffix(found.Error(), "; "+want) {
			t.Errorf("%s: got %v, want the hint %s", key, found, want)
		}
	}
}
