package auth

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// login sends a login request, once or whenever the credentials have expired. It adds
// parts of the response to the headers and the query of every later request.
type login struct {
	pointer  string
	text     bool            // true if the response is plain text, not JSON
	format   response.Format // format of the response if it is not text
	endpoint string
	method   string
	params   expressionSection // parameters of the login request
	body     *config.BodyTemplate
	values   expressionSection // values of the body
	headers  expressionSection // headers of the login request
	added    struct{ headers, query expressionSection }
	// remembered holds the values that the login leaves for the next login.
	remembered []rememberEntry
	expires    expiry
	contexts   map[expr.Context]expr.Members // contexts of the login request
}

// The settings of a login.
var (
	Format       = field.Text("format", "Format", "Format of the login's response (types `login` and `oauth20.login`, default `json`) or of the token data (type `oauth20`, default `text`). Text becomes `{\"data\": \"…\"}`.").Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices(formatJSON, FormatText)}).Example(`"text"`)
	LoginRequest = field.Of("loginRequest", "Login request", "The request that returns the credentials.",
		field.Object("loginRequest", "Login request", "Sent before the first job request and whenever the credentials have expired. Neither the default options nor the common headers are added to it.", LoginEndpoint, loginMethod, LoginParams, LoginHeaders, config.LoginBody, loginResponse, loginRemember, rule.Login))
	LoginEndpoint = field.Text("endpoint", "Endpoint", "Path after the base URL, or a complete URL. Required.").Typed(config.EndpointType).Example(`"session"`).Also("url", "uri", "path", "resource")
	loginMethod   = field.Text("method", "Method", "As for jobs.").Typed(config.MethodType).Default("GET").Example(`"FORM"`).Also("verb", "type")
	LoginParams   = field.Of("params", "Parameters", "As for jobs; expressions may refer to `attr`, and with `oauth20.login` to `consumer` and `user`.", config.ParamsType).DefaultJSON(`{}`).Example(`{"user": {"attr": "username"}, "password": {"attr": "#password"}}`).Also("query").Evaluated(expr.InLogin, expr.InOAuthLogin)
	LoginHeaders  = field.Of("headers", "Headers", "Headers of the login, which has no others; expressions as in `params`.", config.ExpressionsType).DefaultJSON(`{}`).Example(`{"X-App-Key": {"attr": "#appKey"}}`).As(field.Headers).Evaluated(expr.InLogin, expr.InOAuthLogin)
	loginResponse = field.Of("response", "Response", "The format of the response, instead of `format`.", field.Object("loginResponse", "Response to the login", "With the format `xml` the content of the root element is the response: `{\"response\": PATH}` leads into it as into items of the [format `xml`](../how-to/formats.md#xml).", loginFormat))
	loginFormat   = field.Text("format", "Format", "Format of the response.").Typed(&field.Type{Kinds: []string{"string"}, Choices: field.Choices(formatJSON, formatXML)}).Example(`"xml"`).Must()
	APIRequest    = field.Of("apiRequest", "Later requests", "What the login's response adds to every later request.",
		field.Object("apiRequest", "Requests after the login", "Expressions may refer to the login's response and to `attr`.", laterHeaders, laterQuery)).As(field.NamingRole)
	laterHeaders = field.Of("headers", "Headers", "Headers that replace those with the same name. If a literal string is a path that exists in the login's response, the value there is used, otherwise the string itself.", config.ExpressionsType).DefaultJSON(`{}`).Example(`{"X-Token": {"response": "auth.token"}}`).As(field.Headers).Evaluated(expr.InAfterLogin)
	laterQuery   = field.Of("query", "Query", "Query parameters. A name that the job sends too is sent twice: `name[0]` with the job's value, `name[1]` with this one.", config.ExpressionsType).DefaultJSON(`{}`).Example(`{"sid": {"response": "session.id"}}`).Evaluated(expr.InAfterLogin)
)

// The formats of a response to a login, and of the token data of oauth20.
const (
	formatJSON = "json"
	FormatText = "text"
	formatXML  = "xml"
)

func loginSettings() []field.Declaration {
	return []field.Declaration{Format, LoginRequest, APIRequest, Expires}
}

func loginScheme() Scheme {
	return Scheme{Name: "login", Settings: loginSettings(), Compile: compileLogin}
}

func compileLogin(s CompileInput) Method { return newLogin(s, expr.InLogin, nil) }

// newLogin compiles a login. Its request may refer to the attributes and to the contexts
// in more.
func newLogin(s CompileInput, place expr.Site, more map[expr.Context]expr.Members) login {
	l := login{pointer: s.Pointer, contexts: map[expr.Context]expr.Members{expr.Attr: s.attr}}
	maps.Copy(l.contexts, more)
	l.text = Format.Of(s.Section) == FormatText
	request := LoginRequest.In(s.Section)
	if request.Value.Kind() != value.Object {
		request.Problem("the login needs the object 'loginRequest'", "")
	} else {
		l.compileRequest(s, request, place)
	}
	l.expires = compileExpiry(Expires.In(s.Section))
	use := APIRequest.In(s.Section)
	l.added.headers = s.compileHeaders(laterHeaders.In(use), expr.InAfterLogin)
	l.added.query = s.compileObject(laterQuery.In(use), expr.InAfterLogin)
	for _, item := range append(laterHeaders.In(use).Items(), laterQuery.In(use).Items()...) {
		if item.Value.IsNull() {
			item.Problem("expected a text or an expression", "")
		}
	}
	return l
}

func (l *login) compileRequest(s CompileInput, request config.Section, place expr.Site) {
	endpoint := LoginEndpoint.In(request)
	if l.endpoint = LoginEndpoint.Of(request); l.endpoint == "" {
		endpoint.Problem("the login request needs an endpoint", "")
	}
	l.method = strings.ToUpper(loginMethod.Of(request))
	l.params = s.compileParams(LoginParams.In(request), place)
	l.headers = s.compileHeaders(LoginHeaders.In(request), place)
	body := config.LoginBody.In(request)
	l.body = config.CompileBody(body, cmp.Or(l.method, http.MethodGet), s.compiler(place))
	l.values = expressionSection{section: config.BodyValues.In(body), references: s.vocabulary.References.At(place), entries: l.body.Entries()}
	if format := loginResponse.In(request); loginFormat.Of(format) != "" {
		if Format.In(s.Section).Present() {
			format.Problem("expected no such key, because \"authentication\" has the key \"format\"", "remove one of the two")
		}
		l.format = response.Compile(format)
	}
	l.remembered = s.compileRemembered(loginRemember.In(request))
}

func (l login) references(c expr.Context) []string {
	names := append(l.added.headers.entries.References(c), l.added.query.entries.References(c)...)
	for _, r := range l.remembered {
		names = append(names, r.expr.References(c)...)
	}
	return names
}

// compiledLogin returns the login of a method that has one.
func (l login) compiledLogin() login { return l }

func (l login) Start(d *env.Run, m *state.IterationValues) Authenticator {
	return &session{login: l, deps: deps{d}, memory: m}
}

// session is a login in use, with its current credentials.
type session struct {
	login
	deps   deps
	memory *state.IterationValues

	mu      sync.Mutex
	current *credentials  // nil before the first login
	pending *loginAttempt // nil while no login is in progress
}

var _ Renewer = (*session)(nil)

type credentials struct {
	headers, query value.Value
	secrets        []string // secrets in headers and query
	end            expiryTime
	revoked        chan struct{} // closed when the credentials are given up
}

func (c *credentials) areGivenUp() bool {
	select {
	case <-c.revoked:
		return true
	default:
		return false
	}
}

// Authenticate implements Authenticator. It logs in if there are no valid credentials.
func (s *session) Authenticate(ctx context.Context, r *Attempt) error {
	c, err := s.credentials(ctx, r)
	if err != nil {
		return err
	}
	s.deps.Secrets.AddSentTokens(c.secrets) // again, because the registry forgets tokens that are not used
	mergeHeaders(r.Request, c.headers)
	mergeIndexed(r.Request, c.query)
	r.used = c
	return nil
}

// Revoked implements Renewer. Credentials that expired and were replaced were not given
// up: a 401 to them is an ordinary 401.
func (s *session) Revoked(ctx context.Context, sent *Attempt) bool {
	if sent.used == nil {
		return false
	}
	if sent.Needed != nil {
		select {
		case <-sent.Needed:
		case <-sent.used.revoked:
		case <-ctx.Done():
		}
	}
	return sent.used.areGivenUp()
}

func (s *session) Renew(sent *Attempt) {
	c := sent.used
	if c == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c == s.current {
		s.current = nil
	}
	if !c.areGivenUp() {
		close(c.revoked)
	}
}

// credentials returns the current credentials and logs in if there are none. Concurrent
// callers share one login and its error, because repeated failures can lock an account.
func (s *session) credentials(ctx context.Context, r *Attempt) (*credentials, error) {
	for {
		s.mu.Lock()
		if s.current != nil && !s.current.end.expired(s.deps.Now()) {
			defer s.mu.Unlock()
			return s.current, nil
		}
		other := s.pending
		if other == nil {
			mine := &loginAttempt{done: make(chan struct{})}
			s.pending = mine
			s.mu.Unlock()
			return s.runLogin(ctx, r, mine)
		}
		s.mu.Unlock()
		select {
		case <-other.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if other.err != nil {
			return nil, other.err
		}
	}
}

type loginAttempt struct {
	done chan struct{}
	err  error // set before done is closed; nil if the context ended first
}

// runLogin logs in, stores the result and wakes the requests that wait for the login.
func (s *session) runLogin(ctx context.Context, r *Attempt, l *loginAttempt) (c *credentials, err error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if c != nil {
			s.current = c
		} else if ctx.Err() == nil {
			l.err = err
		}
		s.pending = nil
		close(l.done)
	}()
	if c, err = s.logIn(ctx, r); err != nil {
		return nil, failure.Wrap("the login failed", s.pointer, loginError{err})
	}
	return c, nil
}

// ErrLogin is a cause of each error of a login.
var ErrLogin = errors.New("the login failed")

// loginError is an error with the cause ErrLogin, and the text of the other error.
type loginError struct{ error }

func (e loginError) Unwrap() []error { return []error{e.error, ErrLogin} }

func (s *session) logIn(ctx context.Context, r *Attempt) (*credentials, error) {
	scope := s.deps.scope(maps.Clone(s.contexts))
	scope.Contexts[expr.Remembered] = s.memory.AllNow()
	request := config.RequestSpec{Endpoint: s.endpoint, Method: s.method}
	var err error
	if request.Params, err = s.params.eval(scope, s.deps.Secrets.AddToken); err != nil {
		return nil, err
	}
	if request.Headers, err = s.headers.texts(scope, s.deps.Secrets.AddToken); err != nil {
		return nil, err
	}
	if s.body != nil {
		values, err := s.values.eval(scope, s.deps.Secrets.AddToken)
		if err != nil {
			return nil, err
		}
		if request.Body, err = s.body.Fill(values); err != nil {
			return nil, err
		}
	}
	if s.format.Name != "" && !hasName(request.Headers, "Accept") {
		request.Headers = request.Headers.AsObject().With("Accept", value.OfString(s.format.Accept))
	}
	s.deps.Secrets.AddAddress(s.endpoint)
	responded, err := r.Login(ctx, request)
	if err != nil {
		return nil, err
	}
	defer responded.Body.Close()
	res, err := s.read(responded.Body)
	if err != nil {
		return nil, err
	}
	texts := secretTexts(res, s.expires.path, 0)
	if len(texts) > maxTexts {
		return nil, failure.Userf("the response of the login has %d texts, expected at most %d", len(texts), maxTexts)
	}
	s.deps.Secrets.AddTokens(texts)
	scope.Contexts[expr.Response] = expr.Flatten(res.AsSecret())
	scope.Contexts[expr.ResponseHeader] = expr.HeaderMembers(responded.Header, s.references(expr.ResponseHeader)).AsSecret()
	scope.Contexts[expr.ResponseCookie] = expr.CookieMembers(responded.Header, s.references(expr.ResponseCookie)).AsSecret()
	done := event.LoginDone{Endpoint: s.endpoint}
	if done.Remembered, err = s.remember(ctx, scope); err != nil {
		return nil, err
	}
	c, err := s.newCredentials(scope, res, done)
	if err != nil {
		return nil, err
	}
	c.keepSecrets(texts)
	return c, nil
}

func (c *credentials) keepSecrets(texts []string) {
	for _, part := range []value.Value{c.headers, c.query} {
		for _, m := range part.Members() {
			for _, item := range itemsOf(m.Value) {
				if text := item.Text(); slices.Contains(texts, text) {
					c.secrets = append(c.secrets, text)
				}
			}
		}
	}
}

// newCredentials makes credentials from a response and reports the login.
func (s *session) newCredentials(scope *expr.Scope, res value.Value, done event.LoginDone) (*credentials, error) {
	c := &credentials{revoked: make(chan struct{})}
	register := func(secret string) {
		s.deps.Secrets.AddToken(secret)
		c.secrets = append(c.secrets, secret)
	}
	var err error
	if c.headers, err = s.added.headers.texts(scope, register); err != nil {
		return nil, err
	}
	if c.query, err = s.added.query.texts(scope, register); err != nil {
		return nil, err
	}
	if c.end, err = s.expires.timeFrom(res, s.deps.Now()); err != nil {
		return nil, err
	}
	if c.end.set && c.end.unix != afterOneRequest {
		done.Expires = time.Unix(c.end.unix, 0).UTC().Format(time.RFC3339)
	}
	s.deps.Log.Emit(done)
	return c, nil
}

// hasName reports whether an object has a member with a name in any letter case.
func hasName(v value.Value, name string) bool {
	return slices.ContainsFunc(v.Members(), func(m value.Member) bool { return strings.EqualFold(m.Name, name) })
}

// maxResponse is the maximum size, in bytes, of the response of a login.
const maxResponse = 8 << 20

// byteOrderMark is the prefix that some servers send before JSON.
const byteOrderMark = "\xef\xbb\xbf"

// read returns the response as an object. A scalar, or the whole body in the text format,
// becomes its member data.
func (s *session) read(spool *response.Spool) (value.Value, error) {
	if spool.Size() > maxResponse {
		return value.Value{}, failure.Userf("the response of the login has %d bytes, expected at most %d", spool.Size(), maxResponse)
	}
	data := func(v value.Value) value.Value { return value.OfMembers(value.Member{Name: "data", Value: v}) }
	if s.text {
		body, err := io.ReadAll(spool.Raw())
		return data(value.OfString(string(body))), err
	}
	if s.format.Name != "" {
		v, err := s.readXML(spool)
		if err != nil || v.Kind() == value.Object {
			return v, err
		}
		return data(v), nil
	}
	body, _, err := spool.Text(response.Format{})
	if err != nil {
		return value.Value{}, err
	}
	v, err := value.Parse(body)
	switch {
	case err != nil:
		return value.Value{}, failure.Userf("its response is not valid JSON: %w", err)
	case v.Kind() == value.Object:
		return v, nil
	case v.IsScalar():
		return data(v), nil
	default:
		return value.Value{}, failure.Userf("its response must be a JSON object or scalar, found %s", v.Kind())
	}
}
