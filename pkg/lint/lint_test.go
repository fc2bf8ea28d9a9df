package lint

import (
	"fmt"
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/extract"
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

		{"scrollers nobody names", given{api: fmt.Sprintf(multiple, ""), jobs: `{"endpoint":"x","scroller":"a"}`}, []string{"unused-scroller /api/pagination/scrollers/b"}},
		{"a scroller that a child names", given{api: fmt.Sprintf(multiple, ""), jobs: `{"endpoint":"x","scroller":"a","children":[{"endpoint":"{i}","placeholders":{"i":"i"},"scroller":"b"}]}`}, nil},
		{"a scroller by default", given{api: fmt.Sprintf(multiple, `,"default":"b"`), jobs: `{"endpoint":"x","scroller":"a"},{"endpoint":"y"}`}, nil},
		{"a default nobody needs", given{api: fmt.Sprintf(multiple, `,"default":"b"`), jobs: `{"endpoint":"x","scroller":"a"}`}, []string{"unused-scroller /api/pagination/scrollers/b"}},
		{"scrollers without the method", given{api: `,"pagination":{"method":"pagenum","scrollers":{"a":{"method":"offset"}}}`}, []string{"unused-scroller /api/pagination/scrollers"}},

		{"a page number of the job's own", given{api: `,"pagination":{"method":"pagenum","pageParam":"p"}`, jobs: `{"endpoint":"x","params":{"p":3,"page":1}}`}, []string{"overwritten-parameter /config/jobs/0/params/p"}},
		{"an offset of the job's own", given{api: fmt.Sprintf(multiple, ""), jobs: `{"endpoint":"x","scroller":"a","params":{"offset":3,"limit":1}},{"endpoint":"y","scroller":"b"}`}, []string{"overwritten-parameter /config/jobs/0/params/offset"}},
		{"an offset to begin at", given{api: `,"pagination":{"method":"offset","limit":2,"offsetFromJob":true}`, jobs: `{"endpoint":"x","params":{"offset":3}}`}, nil},
		{"a first page without parameters", given{api: `,"pagination":{"method":"pagenum","firstPageParams":false}`, jobs: `{"endpoint":"x","params":{"page":3}}`}, nil},
		{"a cursor's first value", given{api: `,"pagination":{"method":"cursor","idKey":"id","param":"since"}`, jobs: `{"endpoint":"x","params":{"since":3}}`}, nil},

		{"pages in advance, one after another", given{api: `,"http":{"lookahead":3},"pagination":{"method":"multiple","scrollers":{"default":{"method":"pagenum","total":"t","totalPages":"p"}}}`},
			[]string{"idle-lookahead /api/http/lookahead", "idle-lookahead /api/pagination/scrollers/default/total", "idle-lookahead /api/pagination/scrollers/default/totalPages"}},
		{"pages in advance", given{api: `,"http":{"lookahead":3,"concurrency":2},"pagination":{"method":"offset","limit":1,"total":"t"}`}, nil},
		{"no look-ahead", given{api: `,"http":{"lookahead":"0"}`}, nil},

		{"a mapping no job feeds", given{config: `,"mappings":{"user":{"id":"id"},"users":{"id":"id"}}`}, []string{"unused-mapping /config/mappings/user"}},
		{"a mapping of a child's data type", given{config: `,"mappings":{"o":{"id":"id"}}`, jobs: `{"endpoint":"x","children":[{"endpoint":"{i}","dataType":"o","placeholders":{"i":"i"}}]}`}, nil},
		{"a mapping that one iteration feeds", given{config: `,"mappings":{"o":{"id":"id"}}`, rest: `,"iterations":[{"jobs":[{"endpoint":"o"}]},{"jobs":[{"endpoint":"p"}]}]`}, nil},

		{"a placeholder nobody fills", given{jobs: `{"endpoint":"x","children":[{"endpoint":"{ib}/{j}","placeholders":{"j":"j"}}]}`}, []string{"unfilled-placeholder /config/jobs/0/children/0/endpoint"}},
		{"a placeholder from above", given{jobs: `{"endpoint":"x","children":[{"endpoint":"{j}","placeholders":{"j":"j"},"children":[{"endpoint":"{j}/{2:k}","placeholders":{"2:k":"k"}}]}]}`}, nil},
		{"a placeholder at a root job", given{jobs: `{"endpoint":"x/{id}"}`}, []string{"unfilled-placeholder /config/jobs/0/endpoint"}},
		{"JSON in an endpoint", given{jobs: `{"endpoint":"x?q={\"a\":1}"}`}, nil},
		{"a root job with a parent's settings", given{jobs: `{"endpoint":"x","placeholders":{"i":"i"},"recursionFilter":"a==1"}`}, []string{"orphan-placeholder /config/jobs/0/placeholders", "orphan-placeholder /config/jobs/0/recursionFilter"}},

		{"paths of other languages", given{api: `,"pagination":{"method":"response.url","urlKey":"links[0].next"}`, jobs: `{"endpoint":"x","dataField":"/a/b","children":[{"endpoint":"{i}{j}","placeholders":{"i":"$.id","j":{"path":"a[1]","function":"md5","args":[{"placeholder":"value"}]}}}]}`},
			[]string{"foreign-path /config/jobs/0/dataField", "foreign-path /config/jobs/0/children/0/placeholders/i", "foreign-path /config/jobs/0/children/0/placeholders/j/path", "foreign-path /api/pagination/urlKey"}},
		{"totals in other languages", given{api: `,"http":{"concurrency":2},"pagination":{"method":"offset","limit":1,"total":"$.total"}`}, []string{"foreign-path /api/pagination/total"}},
		{"a path with another separator", given{jobs: `{"endpoint":"x","dataField":{"path":"/a/b","delimiter":"/"}}`}, nil},

		{"expressions among literals", given{api: `,"http":{"defaultOptions":{"params":{"a":{"attr":"x"}}}},"pagination":{"method":"response.param","responseParam":"t","queryParam":"t","scrollRequest":{"params":{"b":{"function":"md5","args":["x"]}}}}`},
			[]string{"unevaluated-expression /api/http/defaultOptions/params/a", "unevaluated-expression /api/pagination/scrollRequest/params/b"}},
		{"data that is no expression", given{api: `,"http":{"defaultOptions":{"params":{"a":{"attr":"x","op":"y"}}}}`}, nil},

		{"headers of the connection", given{api: `,"http":{"headers":{"content-length":"1","X":"1"}}`, jobs: `{"endpoint":"x","headers":{"Transfer-Encoding":"chunked"}}`},
			[]string{"unsendable-header /api/http/headers/content-length", "unsendable-header /config/jobs/0/headers/Transfer-Encoding"}},

		{"secrets in the open", given{api: `,"http":{"headers":{"Authorization":"Bearer x"}}`, config: `,"apiKey":"a","nested":{"access_token":"b"}`},
			[]string{"plain-secret /api/http/headers/Authorization", "plain-secret /config/apiKey", "plain-secret /config/nested/access_token"}},
		{"what only sounds like a secret", given{config: `,"#token":"a","pageToken":"b","token":{"attr":"#token"},"secret":"","password":"{{p}}","apiKey":null`}, nil},
		{"a secret in an iteration", given{rest: `,"iterations":[{"token":"x"}]`}, []string{"plain-secret /iterations/0/token"}},

		{"credentials without TLS", given{base: "http://api.example.com", api: auth, config: `,"#k":"x"`}, []string{"plain-address /api/baseUrl"}},
		{"credentials in a header", given{base: "http://api.example.com", api: `,"http":{"headers":{"K":{"attr":"#k"}}}`, config: `,"#k":"x"`}, []string{"plain-address /api/baseUrl"}},
		{"no credentials", given{base: "http://api.example.com"}, nil},
		{"the computer itself", given{base: "http://127.0.0.1:8080", api: auth, config: `,"#k":"x"`}, nil},
		{"the computer itself by name", given{base: "http://LOCALHOST", api: auth, config: `,"#k":"x"`}, nil},
		{"an endpoint with an address", given{api: auth, config: `,"#k":"x"`, jobs: `{"endpoint":"http://other.example.com/x"}`}, []string{"plain-address /config/jobs/0/endpoint"}},
		{"behind an SSH server", given{base: "http://api.example.com", api: auth, config: `,"#k":"x"`, rest: `,"sshProxy":{"host":"h","port":22,"user":"u","#privateKey":"k"}`}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree, err := value.Parse([]byte(tt.text()))
			if err != nil {
				t.Fatal(err)
			}
			compiled, problems := config.Compile(tree, config.Options{})
			if len(*problems) > 0 {
				t.Fatal(problems)
			}
			extract.Compile(compiled, false)
			var got []string
			for _, p := range Check(Document{Tree: tree, Compiled: compiled}) {
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
