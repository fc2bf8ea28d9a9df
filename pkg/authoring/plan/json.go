package plan

import (
	"io"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// requestJSON is a request in the JSON output. docs/how-to/plan.md explains its keys.
type requestJSON struct {
	Job       string      `json:"job"`
	Kind      string      `json:"kind"`      // login, job or child
	Iteration int         `json:"iteration"` // counts from 1
	Pointer   string      `json:"pointer"`
	Method    string      `json:"method"`
	URL       string      `json:"url"`
	Headers   value.Value `json:"headers"`
	Body      string      `json:"body"`

	Calls   string       `json:"calls,omitempty"`
	Windows int          `json:"windows,omitempty"`
	Window  string       `json:"window,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
	Sources []sourceJSON `json:"sources,omitempty"`
	Paging  []string     `json:"paging,omitempty"`
	Rules   []string     `json:"rules,omitempty"`

	Read      []engine.RememberedValue `json:"read,omitempty"`
	Remembers []string                 `json:"remembers,omitempty"`
}

type sourceJSON struct {
	Part    string `json:"part"`
	From    string `json:"from"`
	Pointer string `json:"pointer"`
}

// WriteJSON writes the requests of all iterations. A login precedes the request that
// needs it.
func (p *Preview) WriteJSON(w io.Writer) error {
	all := struct {
		Requests  []requestJSON `json:"requests"`
		Variables []string      `json:"variables,omitempty"`
	}{Requests: []requestJSON{}, Variables: p.Variables}
	for _, d := range p.planned {
		if d.Login != nil {
			login := p.requestJSON(d, d.Login, "login")
			login.Pointer, login.Sources = p.mask.text(d.LoginPointer), p.sourcesJSON(d.LoginSources)
			login.Remembers, login.Rules = p.masked(d.LoginRemembers), p.masked(d.LoginRules)
			all.Requests = append(all.Requests, login)
		}
		if d.Request == nil {
			continue
		}
		kind := "job"
		if d.Level > 0 {
			kind = "child"
		}
		r := p.requestJSON(d, d.Request, kind)
		r.Calls = p.mask.text(d.Calls)
		r.Windows, r.Window = d.Windows, p.mask.text(d.Window)
		r.Notes = p.masked(d.Notes)
		r.Sources = p.sourcesJSON(d.Sources)
		r.Paging, r.Rules, r.Remembers = p.masked(d.Paging), p.masked(d.Rules), p.masked(d.Remembers)
		for _, one := range d.Read {
			r.Read = append(r.Read, engine.RememberedValue{Name: p.mask.text(one.Name), Value: p.mask.text(one.Value), Values: one.Values})
		}
		all.Requests = append(all.Requests, r)
	}
	return textfmt.WriteJSON(w, all)
}

func (p *Preview) masked(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, p.mask.text(text))
	}
	return all
}

func (p *Preview) sourcesJSON(sources []request.Source) []sourceJSON {
	var all []sourceJSON
	for _, s := range sources {
		all = append(all, sourceJSON{p.mask.text(s.Part), p.mask.text(p.words.Source(s)), p.mask.text(s.Pointer)})
	}
	return all
}

func (p *Preview) requestJSON(d engine.PlannedRequest, r *httpclient.Outgoing, kind string) requestJSON {
	return requestJSON{
		Job: p.mask.text(d.Job), Kind: kind, Iteration: d.Iteration + 1, Pointer: p.mask.text(d.Pointer),
		Method: r.Method, URL: shown(p.address(r)), Headers: p.headersJSON(r), Body: shown(p.body(r)),
	}
}

// headersJSON returns the headers as an object. A header is a text, or a list of texts if
// its name occurs more than once.
func (p *Preview) headersJSON(r *httpclient.Outgoing) value.Value {
	headers := value.OfMembers()
	for _, line := range r.Headers {
		name, text := p.mask.text(line.Name), value.OfString(shown(p.header(r, line)))
		before, ok := headers.Get(name)
		switch {
		case !ok:
			headers = headers.With(name, text)
		case before.Kind() == value.Array:
			headers = headers.With(name, value.OfItems(append(before.Items(), text)...))
		default:
			headers = headers.With(name, value.OfItems(before, text))
		}
	}
	return headers
}
