package auth_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func wire(t *testing.T, api, conf string, handler http.HandlerFunc) ([]string, error) {
	t.Helper()
	var mu sync.Mutex
	var lines []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		line := r.Method + " " + r.RequestURI
		var headers []string
		for name, values := range r.Header {
			if strings.HasPrefix(name, "X-") || name == "Authorization" {
				headers = append(headers, name+": "+strings.Join(values, ","))
			}
		}
		slices.Sort(headers)
		mu.Lock()
		lines = append(lines, strings.TrimSpace(strings.Join(append([]string{line}, headers...), " | ")+" "+string(body)))
		mu.Unlock()
		handler(w, r)
	}))
	defer server.Close()
	doc, err := value.Parse(fmt.Appendf(nil, `{"parameters":{"api":{"baseUrl":%q,%s},"config":%s}}`, server.URL, api, conf))
	if err != nil {
		t.Fatal(err)
	}
	compiled, problems := config.Compile(doc, config.Options{Tree: config.NewTree(config.Types{Authentication: auth.AllSchemes().Type()})})
	it := compiled.Iterations[0]
	method := auth.Compile(compiled, it, auth.AllSchemes())
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	err = run(t, compiled.API, it, method)
	mu.Lock()
	defer mu.Unlock()
	return lines, err
}

func run(t *testing.T, api config.API, it config.Iteration, method auth.Method) error {
	t.Helper()
	secrets := &secret.Registry{}
	log := event.NewLog(event.Discard{}, secrets, time.Now)
	e := &env.Run{
		UserAgent: "agent/1", Temp: t.TempDir(), Log: log, Secrets: secrets, Now: time.Now,
		Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Getenv: func(string) string { return "" },
	}
	shared := httpclient.NewShared(e, &config.Document{API: api, Iterations: []config.Iteration{it}}, httpclient.Settings{})
	client, err := httpclient.New(httpclient.Options{Shared: shared, API: api, BaseURL: it.BaseURL, Auth: method.Start(e, nil)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, job := range it.Jobs {
		params, err := job.Params.Eval(nil)
		if err != nil {
			t.Fatal(err)
		}
		headers, err := job.Headers.Eval(nil)
		if err != nil {
			t.Fatal(err)
		}
		defaults, err := it.Defaults.Request(nil)
		if err != nil {
			t.Fatal(err)
		}
		request := config.RequestSpec{Endpoint: job.Endpoint, Method: job.Method, Params: params, Headers: headers}.Over(defaults)
		res, err := client.Do(t.Context(), request, httpclient.JobInfo{Headers: it.Headers})
		if err != nil {
			return err
		}
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return nil
}

const session = `"type":"login","loginRequest":{"endpoint":"session","method":"POST","params":{"user":"eva"}},"apiRequest":{"query":{"sid":{"response":"sid"}}}`

func TestOnTheWire(t *testing.T) {
	// The response to each path has its own words. The response to a login has a number.
	number := 0
	res := func(status ...int) http.HandlerFunc {
		number = 0
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/session":
				number++
				fmt.Fprintf(w, `{"sid":%d}`, number)
			case "/moved":
				http.Redirect(w, r, "/here?sid=location", http.StatusTemporaryRedirect)
			default:
				if len(status) > 0 {
					w.WriteHeader(status[0])
					status = status[1:]
				}
			}
		}
	}
	tests := []struct {
		name, api, conf string
		handler         func() http.HandlerFunc
		want            []string
		failed          string
	}{
		{"headers, defaults and one name in two places",
			`"http":{"headers":{"X-Client":"c"},"defaultOptions":{"headers":{"X-Env":"test","X-Acct":5},"params":{"verbose":"1","sort":"id","pin":"00"}}},
			 "authentication":{"type":"login","loginRequest":{"endpoint":"session","method":"POST","params":{"user":"eva"}},
			 "apiRequest":{"headers":{"X-Acct":{"response":"acct"}},"query":{"sid":{"response":"s.id"},"pin":{"response":"pin"}}}}`,
			`{"jobs":[{"endpoint":"stock","params":{"sort":"name","pin":"job"}}]}`,
			func() http.HandlerFunc {
				return func(w http.ResponseWriter, _ *http.Request) {
					io.WriteString(w, `{"acct":"ab","s":{"id":77},"pin":"42"}`)
				}
			},
			[]string{`POST /session {"user":"eva"}`, `GET /stock?verbose=1&sort=name&sid=77&pin%5B0%5D=job&pin%5B1%5D=42 | X-Acct: ab | X-Client: c | X-Env: test`}, ""},
		{"one login for several jobs", `"authentication":{` + session + `}`, `{"jobs":[{"endpoint":"a"},{"endpoint":"b"}]}`,
			func() http.HandlerFunc { return res() },
			[]string{`POST /session {"user":"eva"}`, "GET /a?sid=1", "GET /b?sid=1"}, ""},
		{"a login before every request", `"authentication":{` + session + `,"expires":0}`, `{"jobs":[{"endpoint":"a"},{"endpoint":"b"}]}`,
			func() http.HandlerFunc { return res() },
			[]string{`POST /session {"user":"eva"}`, "GET /a?sid=1", `POST /session {"user":"eva"}`, "GET /b?sid=2"}, ""},
		{"retries included", `"authentication":{` + session + `,"expires":0}`, `{"jobs":[{"endpoint":"a"}]}`,
			func() http.HandlerFunc { return res(503) },
			[]string{`POST /session {"user":"eva"}`, "GET /a?sid=1", `POST /session {"user":"eva"}`, "GET /a?sid=2"}, ""},
		{"a retry keeps what has not expired", `"authentication":{` + session + `}`, `{"jobs":[{"endpoint":"a?sid=job"}]}`,
			func() http.HandlerFunc { return res(503) },
			[]string{`POST /session {"user":"eva"}`, "GET /a?sid%5B0%5D=job&sid%5B1%5D=1", "GET /a?sid%5B0%5D=job&sid%5B1%5D=1"}, ""},
		{"a 401 requests a new login, once", `"authentication":{` + session + `}`, `{"jobs":[{"endpoint":"a"},{"endpoint":"b"}]}`,
			func() http.HandlerFunc { return res(401) },
			[]string{`POST /session {"user":"eva"}`, "GET /a?sid=1", `POST /session {"user":"eva"}`, "GET /a?sid=2", "GET /b?sid=2"}, ""},
		{"a second 401 fails", `"authentication":{` + session + `}`, `{"jobs":[{"endpoint":"a"}]}`,
			func() http.HandlerFunc { return res(401, 401) },
			[]string{`POST /session {"user":"eva"}`, "GET /a?sid=1", `POST /session {"user":"eva"}`, "GET /a?sid=2"}, "[401] Client error"},
		{"the query of a redirect is a job's", `"authentication":{` + session + `}`, `{"jobs":[{"endpoint":"moved"}]}`,
			func() http.HandlerFunc { return res() },
			[]string{`POST /session {"user":"eva"}`, "GET /moved?sid=1", "GET /here?sid%5B0%5D=location&sid%5B1%5D=1"}, ""},
		{"a body is not merged with", `"authentication":{` + session + `}`, `{"jobs":[{"endpoint":"a","method":"FORM","params":{"sid":"job"}}]}`,
			func() http.HandlerFunc { return res() },
			[]string{`POST /session {"user":"eva"}`, "POST /a?sid=1 sid=job"}, ""},
		{"a login that is redirected, without credentials", `"authentication":{` + strings.Replace(session, "session", "moved", 1) + `}`, `{"jobs":[{"endpoint":"a"}]}`,
			func() http.HandlerFunc {
				next := res()
				return func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/here" {
						r.URL.Path = "/session"
					}
					next(w, r)
				}
			},
			[]string{`POST /moved {"user":"eva"}`, `POST /here?sid=location {"user":"eva"}`, "GET /a?sid=1"}, ""},
		{"a refused login", `"http":{"ignoreErrors":[403]},"authentication":{"type":"login","loginRequest":{"endpoint":"login"}}`, `{"jobs":[{"endpoint":"a"}]}`,
			func() http.HandlerFunc { return res(403) },
			[]string{"GET /login"}, "the login failed: [403] Client error: GET "},
		{"basic", `"http":{"headers":{"Authorization":"configured"}},"authentication":{"type":"basic"}`, `{"username":"ann","#password":"s3","jobs":[{"endpoint":"a"}]}`,
			func() http.HandlerFunc { return res() },
			[]string{"GET /a | Authorization: Basic YW5uOnMz"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := wire(t, tt.api, tt.conf, tt.handler())
			if tt.failed == "" && err != nil || tt.failed != "" && (err == nil || !strings.Contains(err.Error(), tt.failed)) {
				t.Errorf("got the error %v, want %q", err, tt.failed)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
			}
		})
	}
}
