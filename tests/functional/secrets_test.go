package functional

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// canaries are secrets of every origin. None may be seen anywhere, in any form.
var canaries = map[string]string{
	"header":       `cnry-header-value-1 /+?="q"`,
	"query":        `cnry-query-value-2 /+&"č"`,
	"body":         `cnry-body-value-3\ /+č`,
	"unused":       `cnry-unused-value-4`,
	"user":         `cnry-user-value-5~`,
	"password":     `cnry-password-value-6:/`,
	"login":        `cnry-login-value-7 +/`,
	"login header": `cnry-login-header-8=`,
	"token":        `cnry-token-value-9 +/=`,
	"nested":       `cnry-nested-value-10`,
	"number":       `98765012345678`,
	"platform":     `cnry-platform-token-11`,
}

// computed are secrets that the run makes of others.
func computed() map[string]string {
	sum := sha1.Sum([]byte(canaries["login"] + ":" + canaries["token"]))
	return map[string]string{
		"basic":     base64.StdEncoding.EncodeToString([]byte(canaries["user"] + ":" + canaries["password"])),
		"signature": hex.EncodeToString(sum[:]),
	}
}

// formsOf are the spellings of a secret in which it could still be read.
func formsOf(secret string) []string {
	raw := []byte(secret)
	forms := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ToLower(url.QueryEscape(secret)),
		strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
		hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)),
		base64.StdEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw),
		base64.URLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
	}
	for _, escaped := range []string{jsonText(secret), strconv.QuoteToASCII(secret)} {
		inner := escaped[1 : len(escaped)-1]
		forms = append(forms, inner, strings.ReplaceAll(inner, "/", `\/`))
	}
	// What is left when a message was cut in the middle of the secret.
	const beginning = 16
	if len(secret) > beginning && strings.HasPrefix(secret, "cnry-") {
		forms = append(forms, secret[:beginning])
	}
	return forms
}

// searchSecrets reports every form of every secret in a text.
func searchSecrets(t *testing.T, where, text string) {
	t.Helper()
	secrets := computed()
	maps.Copy(secrets, canaries)
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		for _, form := range formsOf(secrets[name]) {
			if at := strings.Index(text, form); at >= 0 {
				t.Errorf("%s shows the secret %q as %q: …%s…", where, name, form, text[max(0, at-80):min(len(text), at+len(form)+20)])
			}
		}
	}
}

// secretConfig uses every canary: under keys with a hash sign, in headers,
// queries and bodies, and with a login or basic authentication.
func secretConfig(authentication string) string {
	login := map[string]any{
		"type": "login",
		"loginRequest": map[string]any{
			"endpoint": "login?from=query", "method": "FORM",
			"params":  map[string]any{"user": map[string]any{"attr": "#login"}},
			"headers": map[string]any{"X-Login": map[string]any{"attr": "#loginHeader"}},
		},
		"apiRequest": map[string]any{
			"headers": map[string]any{"X-Token": map[string]any{"response": "token"}, "X-Number": map[string]any{"response": "number"}},
			"query": map[string]any{"token": map[string]any{"response": "token"}, "sig": map[string]any{"function": "sha1", "args": []any{
				map[string]any{"function": "concat", "args": []any{map[string]any{"attr": "#login"}, ":", map[string]any{"response": "token"}}}}}},
		},
	}
	api := map[string]any{
		"baseUrl":        "http://api.test/",
		"http":           map[string]any{"headers": map[string]any{"X-Key": map[string]any{"attr": "#header"}}},
		"retryConfig":    map[string]any{"maxRetries": 2},
		"pagination":     map[string]any{"method": "cursor", "idKey": "id", "param": "since"},
		"authentication": map[string]any{"login": login, "basic": map[string]any{"type": "basic"}}[authentication],
	}
	config := map[string]any{
		"debug": true, "outputBucket": "b", "username": canaries["user"], "#password": canaries["password"],
		"#header": canaries["header"], "#query": canaries["query"], "#body": canaries["body"],
		"#login": canaries["login"], "#loginHeader": canaries["login header"],
		"deep": []any{map[string]any{"#unused": map[string]any{"list": []any{canaries["unused"]}}}},
		"jobs": []any{
			map[string]any{"endpoint": "first", "params": map[string]any{"key": map[string]any{"attr": "#query"}}},
			map[string]any{"endpoint": "second", "method": "POST", "params": map[string]any{"key": map[string]any{"attr": "#body"}}},
		},
	}
	return jsonText(map[string]any{"parameters": map[string]any{"api": api, "config": config}})
}

// secretAPI responds to the login with canaries and everything else with the given
// handler.
func secretAPI(login, rest http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/login" && login != nil:
			login(w, r)
		case r.URL.Path == "/login":
			write(w, jsonText(map[string]any{"token": canaries["token"], "a": map[string]any{"b": []any{canaries["nested"]}}, "number": json.Number(canaries["number"])}))
		default:
			rest(w, r)
		}
	})
}

// write answers; a reader who has gone notices nothing anyway.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

// status responds with a status and a text.
func status(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		write(w, text)
	}
}

// pages responds with one row and then with none.
func pages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Query().Has("since") || strings.Contains(string(body), "since") {
		write(w, "[]")
		return
	}
	write(w, `[{"id":1}]`)
}

// mirror responds with everything the request carries.
func mirror(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		status(code, fmt.Sprintf("%s %s %v %v", body, r.RequestURI, r.Header, r.URL.Query()))(w, r)
	}
}

// scenario is one way a run can go.
type scenario struct {
	login, rest http.HandlerFunc
	exit        int
}

func scenarios() map[string]scenario {
	all := map[string]scenario{
		"success":            {nil, pages, 0},
		"mirrored error":     {nil, mirror(400), 1},
		"mirrored, retried":  {nil, mirror(503), 1},
		"mirrored, no JSON":  {nil, mirror(200), 1},
		"refused login":      {mirror(403), pages, 1},
		"login without JSON": {mirror(200), pages, 1},
		"unauthorized":       {nil, mirror(401), 1},
		"redirect circle": {nil, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.RequestURI, http.StatusTemporaryRedirect)
		}, 1},
		"redirect to nowhere": {nil, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "ftp:"+r.RequestURI)
			w.WriteHeader(302)
		}, 1},
		"redirect to refused": {nil, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://"+hostRefused+r.RequestURI)
			w.WriteHeader(307)
		}, 1},
		"closed": {nil, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 1},
	}
	for name, secret := range canaries {
		if name == "user" || name == "password" || name == "platform" {
			continue // secrets only where they are in use
		}
		quoted := jsonText(secret)
		all["error with "+name] = scenario{nil, status(400, "no: "+secret), 1}
		all["error cut in "+name] = scenario{nil, status(400, strings.Repeat("x", 100)+secret), 1}
		all["error in base64 with "+name] = scenario{nil, status(400, base64.StdEncoding.EncodeToString([]byte(secret))), 1}
		all["error as JSON with "+name] = scenario{nil, status(400, quoted), 1}
		all["cursor of "+name] = scenario{nil, status(200, `[{"id":[`+quoted+`]}]`), 1}
		all["cursor cut in "+name] = scenario{nil, status(200, `[{"id":["`+strings.Repeat("x", 38)+`",`+quoted+`]}]`), 1}
		all["lists called "+name] = scenario{nil, status(200, `{`+quoted+`:[],"other":[]}`), 1}
		all["types of "+name] = scenario{nil, status(200, `[{"id":1,`+quoted+`:1},{"id":1,`+quoted+`:{"a":1}}]`), 1}
	}
	return all
}

// TestSecrets searches everything that a run shows for every form of every
// secret, no matter which way the run went and wherever its events go.
func TestSecrets(t *testing.T) {
	slowtest.SkipRace(t, "it tries every place of a secret")
	for i, authentication := range []string{"login", "basic"} {
		all := scenarios()
		for j, name := range slices.Sorted(maps.Keys(all)) {
			s := all[name]
			if authentication == "basic" && (s.login != nil || strings.Contains(name, "token") || strings.Contains(name, "nested") || strings.Contains(name, "number")) {
				continue // there is no login whose response could be a secret
			}
			for k, sink := range []string{"json", "console", "gelf"} {
				if !slowtest.Turn(i+j+k, 3) {
					continue
				}
				t.Run(authentication+"/"+name+"/"+sink, func(t *testing.T) {
					t.Parallel()
					s.run(t, authentication, sink)
				})
			}
		}
	}
}

func (s scenario) run(t *testing.T, authentication, sink string) {
	w := newWorld(t, secretAPI(s.login, s.rest))
	w.env["KBC_TOKEN"] = canaries["platform"]
	writeFile(t, filepath.Join(w.dir, "config.json"), secretConfig(authentication))
	w.options.LogFormat = sink
	shown := func(got outcome) string { return got.stdout }
	if sink == "gelf" {
		w.options.LogFormat = ""
		w.env["EXTRACTOR_LIVE"] = "true" // also what the page of a platform shows
		log := listenGELF(t, w)
		shown = func(got outcome) string {
			if got.stdout != "" {
				t.Errorf("stdout is not empty beside GELF: %s", got.stdout)
			}
			return log()
		}
	}
	if sink == "json" {
		w.options.Record = filepath.Join(t.TempDir(), "run.har")
		defer searchArchive(t, w.options.Record)
	}
	w.options.Report = t.TempDir()
	defer searchReport(t, w.options.Report)
	got := w.run(context.Background())
	log := shown(got)
	if got.exit != s.exit {
		t.Errorf("exit code %d, want %d: %s", got.exit, s.exit, got.stderr)
	}
	if !strings.Contains(log, "GET /first") && !strings.Contains(log, "POST /login") {
		t.Errorf("the log does not report requests, so that nothing is proved: %s", log)
	}
	searchSecrets(t, "the log", log)
	searchSecrets(t, "stderr", got.stderr)
	for _, text := range decodedStrings(log) {
		searchSecrets(t, "the log, decoded", text)
	}
}

// searchArchive searches a recording, too, and all its texts as a reader sees
// them.
func searchArchive(t *testing.T, file string) {
	t.Helper()
	archive, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	checkArchive(t, archive)
	if !strings.Contains(string(archive), "http://api.test/") {
		t.Errorf("the recording holds no request, so that nothing is proved: %s", archive)
	}
	searchSecrets(t, "the recording", string(archive))
	for _, text := range decodedStrings(strings.ReplaceAll(string(archive), "\n", "")) {
		searchSecrets(t, "the recording, decoded", text)
	}
}

// searchReport searches both files of a report.
func searchReport(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"report.json", "report.html"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(text), "http://api.test/") {
			t.Errorf("%s holds no request, so that nothing is proved: %s", name, text)
		}
		searchSecrets(t, name, string(text))
		if name == "report.json" {
			texts := decodedStrings(strings.ReplaceAll(string(text), "\n", ""))
			searchSecrets(t, "report.json, decoded", strings.Join(texts, "\n"))
		}
	}
}

// decodedStrings are all texts in the JSON records of a log, as their reader
// sees them.
func decodedStrings(log string) []string {
	var texts []string
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, item := range v {
				collect(item)
			}
		case map[string]any:
			for name, item := range v {
				texts = append(texts, name)
				collect(item)
			}
		}
	}
	for record := range strings.FieldsFuncSeq(log, func(r rune) bool { return r == '\n' || r == 0 }) {
		var v any
		if decodeJSON([]byte(record), &v) == nil {
			collect(v)
		}
	}
	return texts
}

// listenGELF makes a log server that the environment of the world names. The
// function that it returns waits for the end of the log and returns all of it.
func listenGELF(t *testing.T, w *world) func() string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // no one waits for it any more
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	w.env["KBC_LOGGER_ADDR"], w.env["KBC_LOGGER_PORT"] = host, port
	received := make(chan string, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			received <- ""
			return
		}
		defer conn.Close()
		text, err := io.ReadAll(bufio.NewReader(conn))
		if err != nil {
			text = append(text, err.Error()...)
		}
		received <- string(text)
	}()
	return func() string {
		select {
		case text := <-received:
			return text
		case <-time.After(10 * time.Second):
			t.Error("the connection to the log server was never closed")
			return ""
		}
	}
}
