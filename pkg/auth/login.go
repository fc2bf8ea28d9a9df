package auth

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/response"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// login sends a request of its own, once or whenever the credentials have
// ended, and puts parts of the answer into the headers and the query of every
// later request.
type login struct {
	pointer  string
	text     bool // the answer is plain text, not JSON
	endpoint string
	method   string
	params   expr.Entries
	headers  expr.Entries
	with     struct{ headers, query part }
	expires  expiry
	attr     expr.Members
}

// part is the headers or the query of `apiRequest`.
type part struct {
	entries expr.Entries
	written value.Value // as it stands in the configuration
}

func compileLogin(s source) Method {
	l := login{pointer: s.Pointer, attr: s.attr}
	switch format := s.Text("format", "json"); format {
	case "json":
	case "text":
		l.text = true
	default:
		s.Get("format").Problem("expected 'json' or 'text'", "")
	}
	request := s.Get("loginRequest")
	if !request.Present() || request.Value.Kind() != value.Object {
		request.Problem("the login needs the object 'loginRequest'", "")
	} else {
		l.compileRequest(s, request)
	}
	l.expires = compileExpiry(s.Get("expires"))
	use := s.Get("apiRequest")
	for name, p := range map[string]*part{"headers": &l.with.headers, "query": &l.with.query} {
		section := use.Get(name)
		*p = part{s.entries(section, expr.Attr, expr.Response), section.Value}
	}
	return l
}

func (l *login) compileRequest(s source, request config.Section) {
	endpoint := request.Get("endpoint")
	if l.endpoint = request.Text("endpoint", ""); l.endpoint == "" && !endpoint.Present() {
		endpoint.Problem("the login request needs an endpoint", "")
	}
	l.method = strings.ToUpper(request.Text("method", "GET"))
	switch l.method {
	case "GET", "POST", "FORM", "PUT", "PATCH", "DELETE":
	default:
		request.Get("method").Problem("expected one of GET, POST, FORM, PUT, PATCH, DELETE", "")
	}
	l.params = s.compiler(expr.Attr).Entries(request.Get("params").Value, request.Get("params").Pointer)
	l.headers = s.compiler(expr.Attr).Entries(request.Get("headers").Value, request.Get("headers").Pointer)
}

// Start implements Method.
func (l login) Start(d Deps) Authenticator {
	return &session{login: l, deps: d}
}

// session is a login at work: the credentials of now.
type session struct {
	login
	deps Deps

	mu      sync.Mutex
	current *credentials // nil before the first login
}

// credentials are what one login brought.
type credentials struct {
	headers, query value.Value
	end            end
}

// Authenticate implements Authenticator: it logs in when there are no valid
// credentials and adds those there are.
func (s *session) Authenticate(ctx context.Context, r *http.Request) error {
	c, err := s.credentials(ctx)
	if err != nil {
		return err
	}
	if err := mergeHeaders(r, c.headers); err != nil {
		return err
	}
	return mergeIndexed(r, c.query)
}

// Renew fetches new credentials whatever the old ones' age.
func (s *session) Renew(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = nil
	return nil
}

func (s *session) credentials(ctx context.Context) (*credentials, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && !s.current.end.passed(s.deps.Now()) {
		return s.current, nil
	}
	c, err := s.logIn(ctx)
	if err != nil {
		return nil, failure.Within("the login failed", s.pointer, err)
	}
	s.current = c
	return c, nil
}

// logIn sends the login request and reads its answer.
func (s *session) logIn(ctx context.Context) (*credentials, error) {
	scope := &expr.Scope{Now: s.deps.Now, Contexts: map[expr.Context]expr.Members{expr.Attr: s.attr}}
	request := config.Request{Endpoint: s.endpoint, Method: s.method}
	var err error
	if request.Params, err = s.params.Eval(scope); err != nil {
		return nil, err
	}
	if request.Headers, err = s.headers.Eval(scope); err != nil {
		return nil, err
	}
	spool, err := s.deps.Login(ctx, request)
	if err != nil {
		return nil, err
	}
	defer spool.Close()
	answer, err := s.read(spool)
	if err != nil {
		return nil, err
	}
	conceal(s.deps.Secrets, answer, s.expires.path)
	return s.use(scope, answer)
}

// use computes the credentials of an answer.
func (s *session) use(scope *expr.Scope, answer value.Value) (*credentials, error) {
	members := expr.Flatten(answer)
	scope.Contexts[expr.Response] = members
	c := &credentials{}
	var err error
	if c.headers, err = s.evaluate(s.with.headers, scope); err != nil {
		return nil, err
	}
	if c.query, err = s.evaluate(s.with.query, scope); err != nil {
		return nil, err
	}
	now := s.deps.Now()
	if c.end, err = s.expires.from(answer, now); err != nil {
		return nil, err
	}
	done := event.LoginDone{Endpoint: s.endpoint}
	if c.end.kind == endAt {
		done.Expires = time.Unix(c.end.unix, 0).UTC().Format(time.RFC3339)
	}
	s.deps.Log.Emit(done)
	return c, nil
}

// evaluate computes the headers or query parameters of later requests. A
// literal that is a path of the answer stands for the value there: old
// configurations name their token like that.
func (s *session) evaluate(p part, scope *expr.Scope) (value.Value, error) {
	computed, err := p.entries.Eval(scope)
	if err != nil {
		return value.Value{}, err
	}
	var members []value.Member
	for _, m := range computed.Members() {
		if literal := p.written.Field(m.Name); literal.IsScalar() {
			if found, ok := scope.Contexts[expr.Response][literal.Raw()]; ok {
				m.Value = found
			}
		}
		if m.Value.Kind() == value.Object || m.Value.IsNull() {
			return value.Value{}, failure.Userf("'apiRequest' gives '%s' %s, expected a text", m.Name, m.Value.Kind())
		}
		members = append(members, m)
		concealComputed(s.deps.Secrets, m.Value)
	}
	return value.OfMembers(members...), nil
}

// maxAnswer is how large the answer of a login may be.
const maxAnswer = 8 << 20

// read is the answer as an object: a scalar, and any text in the text format,
// stands under the name data.
func (s *session) read(spool *response.Spool) (value.Value, error) {
	if spool.Size() > maxAnswer {
		return value.Value{}, failure.Userf("the answer of the login has %d bytes, expected at most %d", spool.Size(), maxAnswer)
	}
	data := func(v value.Value) value.Value { return value.OfMembers(value.Member{Name: "data", Value: v}) }
	if s.text {
		body, err := io.ReadAll(spool.Raw())
		return data(value.OfString(string(body))), err
	}
	body, err := spool.Text()
	if err != nil {
		return value.Value{}, err
	}
	v, err := value.Parse(body)
	switch {
	case err != nil:
		return value.Value{}, failure.Userf("its answer is not valid JSON: %w", err)
	case v.Kind() == value.Object:
		return v, nil
	case v.IsScalar():
		return data(v), nil
	default:
		return value.Value{}, failure.Userf("its answer must be a JSON object or scalar, found %s", v.Kind())
	}
}
