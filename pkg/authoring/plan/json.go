package plan

import (
	"io"
	"net/url"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// request is a planned request with its secrets masked. docs/how-to/plan.md explains its JSON keys.
type request struct {
	Job       string  `json:"job"`
	Kind      string  `json:"kind"`      // login, job or child
	Iteration int     `json:"iteration"` // counts from 1
	Pointer   string  `json:"pointer"`
	Method    string  `json:"method"`
	URL       pieces  `json:"url"`
	Headers   headers `json:"headers"`
	Body      pieces  `json:"body"`

	engine.PlannedFacts

	login   *request // login before the request, or nil
	problem string   // reason why there is no request, or ""
	level   int      // level of its job
}

type header struct {
	name string
	text pieces
	// automatic is true if curl sends the same header by itself.
	automatic bool
}

type headers []header

// MarshalJSON returns the headers as an object. A header is a text, or a list of texts if
// its name occurs more than once.
func (all headers) MarshalJSON() ([]byte, error) {
	object := value.OfMembers()
	for _, h := range all {
		text := value.OfString(h.text.String())
		if before, ok := object.Get(h.name); ok && before.Kind() == value.Array {
			text = value.OfItems(append(before.Items(), text)...)
		} else if ok {
			text = value.OfItems(before, text)
		}
		object = object.With(h.name, text)
	}
	return object.MarshalJSON()
}

// WriteJSON writes the requests of all iterations. A login precedes the request that
// needs it.
func (p *Preview) WriteJSON(w io.Writer) error {
	all := struct {
		Requests  []*request `json:"requests"`
		Variables []string   `json:"variables,omitempty"`
	}{Requests: []*request{}, Variables: p.variables}
	for _, r := range p.planned {
		if r.login != nil {
			all.Requests = append(all.Requests, r.login)
		}
		if r.problem == "" {
			all.Requests = append(all.Requests, r)
		}
	}
	return textfmt.WriteJSON(w, all)
}

// request masks a planned request.
func (m *mask) request(d engine.PlannedRequest) *request {
	r := &request{Job: m.text(d.Job), Kind: "job", Iteration: d.Iteration + 1, Pointer: m.text(d.Pointer), PlannedFacts: d.PlannedFacts, level: d.Level}
	if d.Level > 0 {
		r.Kind = "child"
	}
	r.Calls, r.Window = m.text(d.Calls), m.text(d.Window)
	for _, texts := range [][]string{r.Notes, r.Paging, r.Rules, r.Remembers} {
		for i := range texts {
			texts[i] = m.text(texts[i])
		}
	}
	for i, s := range r.Sources {
		r.Sources[i].Part, r.Sources[i].From, r.Sources[i].Pointer = m.text(s.Part), m.text(s.From), m.text(s.Pointer)
	}
	for i, one := range r.Read {
		r.Read[i].Name, r.Read[i].Value = m.text(one.Name), m.text(one.Value)
	}
	if d.Login != nil {
		r.login = m.request(*d.Login)
		r.login.Kind = "login"
	}
	if d.Problem != nil {
		r.problem = m.text(d.Problem.Error())
	}
	if out := d.Outgoing; out != nil {
		r.Method, r.URL = out.Method, m.pieces(out.URL, out.Sensitive.Query(out.URL)...)
		r.Body = m.pieces(string(out.Body), out.Sensitive.Body()...)
		for _, line := range out.Headers {
			r.Headers = append(r.Headers, m.header(line, out))
		}
	}
	return r
}

// header masks a header. If a header with credentials has no known secret, its whole text
// except for the scheme is masked.
func (m *mask) header(line httpclient.Line, out *httpclient.Outgoing) header {
	h := header{name: m.text(line.Name)}
	if line.Name == "Content-Length" {
		h.automatic = true
		if m.anyStandIn.Find(string(out.Body)) != nil {
			h.text = pieces{{shown: "{length of the body}"}}
			return h
		}
	}
	if u, err := url.Parse(out.URL); line.Name == "Host" && err == nil {
		h.automatic = line.Text == u.Host
	}
	var derived []secret.Span
	if out.Sensitive.Header(line.Name) {
		derived = append(derived, secret.Span{From: 0, To: len(line.Text)})
	}
	h.text = m.pieces(line.Text, derived...)
	switch strings.ToLower(line.Name) {
	case "authorization", "proxy-authorization", "cookie":
		if h.text.masked() || line.Text == "" {
			return h
		}
		scheme, credentials, ok := strings.Cut(line.Text, " ")
		if !ok || strings.EqualFold(line.Name, "cookie") {
			scheme, credentials = "", line.Text
		} else {
			scheme += " "
		}
		hidden := m.secretPiece(credentials)
		hidden.what = "what the header " + h.name + " holds"
		h.text = pieces{{shown: scheme}, hidden}
	}
	return h
}
