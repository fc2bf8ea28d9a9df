package auth

import (
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const trialSeconds = "1740819600" // of today

// trial is the parts of a document that an authentication is compiled from, as
// JSON; "" leaves a part out.
type trial struct {
	authentication string // `api.authentication`
	query          string // `api.query`
	config         string // `config` without `jobs`
	credentials    string // `authorization.oauth_api.credentials`
}

// compile compiles the authentication and returns the problems.
func (tr trial) compile(t *testing.T) (Method, failure.Problems) {
	t.Helper()
	part := func(text string) value.Value {
		if text == "" {
			return value.OfMembers()
		}
		return testvalue.Parse(t, text)
	}
	member := func(name string, v value.Value) value.Member { return value.Member{Name: name, Value: v} }
	api := value.OfMembers(member("baseUrl", value.OfString("http://api.test/")), member("authentication", part(tr.authentication)))
	if tr.query != "" {
		api = api.With("query", part(tr.query))
	}
	job := value.OfMembers(member("endpoint", value.OfString("items")))
	doc := value.OfMembers(
		member("parameters", value.OfMembers(member("api", api), member("config", part(tr.config).With("jobs", value.OfItems(job))))),
		member("authorization", value.OfMembers(member("oauth_api", value.OfMembers(member("credentials", part(tr.credentials)))))),
	)
	compiled, problems := config.Compile(doc, testOptions())
	method := Compile(compiled, compiled.Iterations[0], AllSchemes())
	return method, *problems
}

// start starts the authentication, which must have no problem, in a world
// whose randomness is none.
func (tr trial) start(t *testing.T, w *world) Authenticator {
	t.Helper()
	method, problems := tr.compile(t)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	e := w.env()
	e.Rand = &counter{}
	return loggingIn(method.Start(e, nil), w.login)
}

// checkProblems compares the problems of a trial with lines of pointer and
// expectation.
func (tr trial) checkProblems(t *testing.T, want ...string) {
	t.Helper()
	_, problems := tr.compile(t)
	var got []string
	for _, p := range problems {
		got = append(got, p.Pointer+": "+p.Expected.String())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// counter is randomness without chance: 00 01 02 …
type counter struct{ next byte }

func (c *counter) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = c.next
		c.next++
	}
	return len(b), nil
}

// counted is what a counter returns, as a nonce.
func counted(from, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(from + i)
	}
	return hex.EncodeToString(b)
}

// post is a request with a body.
func post(t *testing.T, address, contentType, body string) *Attempt {
	t.Helper()
	r := requestTo(t, address, "Content-Type: "+contentType)
	r.Method, r.Body = http.MethodPost, []byte(body)
	return r
}

// attempt authenticates a copy of a request, as is done for each attempt.
func attempt(t *testing.T, a Authenticator, r *Attempt) *Attempt {
	t.Helper()
	return authenticated(t, a, &Attempt{Request: r.Clone()})
}
