package functional

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

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

// write answers; a reader who has gone notices nothing anyway.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

// status responds with a status and a text.
func status(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		write(w, text)
	}
}

// The secrets of everySecret, but for those that are not used elsewhere.
var loginSecret, tokenSecret, unusedSecret = canaryText(1), canaryText(2), canaryText(3)

// everySecret is a configuration with secrets in every place: below keys with a hash sign, in
// headers, queries and bodies, with a login or with the authentication basic.
func everySecret(basic bool) string {
	config := map[string]any{"debug": true, "outputBucket": "b", "#login": loginSecret, "deep": []any{map[string]any{"#unused": map[string]any{"list": []any{unusedSecret}}}}}
	for i, name := range []string{"username", "#password", "#header", "#query", "#body", "#loginHeader"} {
		config[name] = canaryText(10 + i)
	}
	authentication := `{"type":"login","loginRequest":{"endpoint":"login?from=query","method":"FORM","params":{"user":{"attr":"#login"}},"headers":{"X-Login":{"attr":"#loginHeader"}}},
		"apiRequest":{"headers":{"X-Token":{"response":"token"},"X-Number":{"response":"number"}},"query":{"token":{"response":"token"},
			"sig":{"function":"sha1","args":[{"function":"concat","args":[{"attr":"#login"},":",{"response":"token"}]}]}}}}`
	if basic {
		authentication = `{"type":"basic"}`
	}
	config["jobs"] = json.RawMessage(`[{"endpoint":"first","params":{"key":{"attr":"#query"}}},{"endpoint":"second","method":"POST","params":{"key":{"attr":"#body"}}}]`)
	return `{"parameters":{"api":{"baseUrl":"http://api.test/","http":{"headers":{"X-Key":{"attr":"#header"}}},"retryConfig":{"maxRetries":2},
		"pagination":{"method":"cursor","idKey":"id","param":"since"},"authentication":` + authentication + `},"config":` + jsonText(config) + `}}`
}

// TestSecrets has an API that returns every secret of a configuration, also one that is not
// used, and searches everything that is shown, no matter which way the run went and where
// its events go.
func TestSecrets(t *testing.T) {
	slowtest.SkipRace(t, "it tries every place of a secret")
	for i, way := range []string{"basic", "login", "login that fails"} {
		for j, fault := range canaryFaults() {
			for k, sink := range []string{"json", "console", "gelf"} {
				// Outside CI, each fault has one way and one sink.
				if !slowtest.Turn(3*i+j+k, 9) {
					continue
				}
				t.Run(way+"/"+fault.name+"/"+sink, func(t *testing.T) {
					t.Parallel()
					secretsRun(t, way, fault, sink)
				})
			}
		}
	}
}

func secretsRun(t *testing.T, way string, fault canaryFault, sink string) {
	w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" && way == "login" {
			write(out, jsonText(map[string]any{"token": tokenSecret, "a": map[string]any{"b": []any{canaryText(4)}}, "number": json.Number(canaryDigits + "0001")}))
			return
		}
		r.Header.Set("X-Unused", unusedSecret)
		fault.api(out, r)
	}))
	w.env["KBC_TOKEN"] = platformCanary
	w.options.LogFormat, w.options.Limits.Requests = sink, 8
	if fault.sleep != nil {
		w.options.Sleep = fault.sleep
	}
	log := func() string { return "" }
	if sink == "gelf" {
		w.options.LogFormat = ""
		w.env["EXTRACTOR_LIVE"] = "true" // also what the page of a platform shows
		log = listenGELF(t, w)
	}
	got, said := w.showing(t, everySecret(way == "basic"))
	if said["log"] = log(); sink == "gelf" && got.stdout != "" {
		t.Errorf("stdout is not empty beside GELF: %s", got.stdout)
	}
	if shown := got.stdout + said["log"]; !strings.Contains(shown, "GET /first") && !strings.Contains(shown, "POST /login") {
		t.Errorf("the log does not report requests, so that nothing is proved: %s", shown)
	}
	checkArchive(t, []byte(said["run.har"]))
	searchCanaries(t, said)
	signature := sha1.Sum([]byte(loginSecret + ":" + tokenSecret))
	hides(t, said, hex.EncodeToString(signature[:]))
}

// hides reports secrets that are shown.
func hides(t *testing.T, said map[string]string, secrets ...string) {
	t.Helper()
	for name, text := range said {
		for _, secret := range secrets {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("%s shows %s: …%s…", name, secret, text[max(0, at-100):min(len(text), at+100)])
			}
		}
	}
}

// decodedStrings are all texts in a JSON document, or in the JSON records of a log, as
// their reader sees them.
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
	var whole any
	if decodeJSON([]byte(log), &whole) == nil {
		collect(whole)
		return texts
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
