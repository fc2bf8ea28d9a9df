package webui

import (
	"cmp"
	"crypto/rand"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/authoring/infer"
	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/gallery"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// draftPage is the page of a new configuration before it is stored, with the evidence for
// each choice.
type draftPage struct {
	ID string
	// Component and Name are the component and the name of the new configuration.
	Component, Name string
	// Questions are the choices that the user can change.
	Questions []draftQuestion
	// Guesses are the inferred settings with their evidence. Notes are further hints for
	// the user.
	Guesses []infer.Inference
	Notes   []string
	// API is the entry of the gallery that the configuration comes from, or nil. Filled
	// are the attributes that the example filled. Missing are the attributes that the
	// user has to fill in.
	API     *gallery.API
	Filled  []string
	Missing []gallery.Input
	// Request is the method and URL of the example, or "" without an example. Status,
	// Kind and Response describe its response. More is true if Response is cut.
	Request, Kind, Response string
	Status                  int
	More                    bool
	Document                source
	Problem                 string

	config []byte
}

// draftQuestion is one of the questions of `extractor init`.
type draftQuestion struct {
	Name, Text string
	Options    []draftOption
}

type draftOption struct {
	Name, Label, Evidence string
	Chosen                bool
}

func (s *site) draft(w http.ResponseWriter, r *http.Request) error {
	return s.showDraft(w, r, http.StatusOK, r.URL.Query(), "")
}

func (s *site) showDraft(w http.ResponseWriter, r *http.Request, status int, given url.Values, problem string) error {
	d, found := s.drafts.get(r.PathValue("draft"))
	if !found {
		return s.showBegin(w, http.StatusNotFound, beginPage{Problem: "This draft has been removed. Start again."})
	}
	p, err := s.proposal(d, given)
	if err != nil {
		status, p.Problem = http.StatusUnprocessableEntity, sentence(reason(err))
	}
	p.Problem = cmp.Or(problem, p.Problem)
	return s.show(w, status, "draft", layout{Title: "New configuration", Section: "begin", Body: p, Assets: []string{"editor.css", "begin.js"}})
}

// proposal returns the page with the configuration that results from the given choices.
func (s *site) proposal(d *draft, given url.Values) (draftPage, error) {
	p := draftPage{ID: d.id, Component: given.Get("component"), Name: given.Get("name")}
	if p.Component == "" {
		var err error
		if p.Component, err = s.usualComponent(); err != nil {
			return p, err
		}
	}
	if len(d.apis) > 0 && len(d.candidates) > 0 {
		q := draftQuestion{Name: "use", Text: "Which configuration do you want?"}
		for _, api := range d.apis {
			q.Options = append(q.Options, draftOption{Name: api.Name, Label: "The complete configuration for " + api.Title, Evidence: api.Summary})
		}
		p.addQuestion(q, draftOption{Name: "example", Label: "A configuration inferred from the example", Evidence: "with the choices that you make below"}, given)
	}
	at := 0
	if len(d.candidates) > 1 {
		q := draftQuestion{Name: "exchange", Text: "Which request is the example?"}
		for i, c := range d.candidates {
			q.Options = append(q.Options, draftOption{Name: strconv.Itoa(i), Label: registryOf(c.Exchange.Request).Mask(scaffold.Asked(c.Exchange)), Evidence: count(c.Items, "item")})
		}
		at = p.addQuestion(q, draftOption{}, given)
	}
	var x *example.Exchange
	if len(d.candidates) > 0 {
		x = &d.candidates[at].Exchange
		p.showResponse(*x)
	}
	for i, api := range d.apis {
		if chosen := given.Get("use"); x == nil || chosen == api.Name || chosen == "" && i == 0 {
			return p, p.fromGallery(api, x)
		}
	}
	return p, p.fromExample(*x, given)
}

// addQuestion adds a question and returns the index of the chosen option, which is 0
// without a choice. If last has a name, it becomes the last option.
func (p *draftPage) addQuestion(q draftQuestion, last draftOption, given url.Values) int {
	if last.Name != "" {
		q.Options = append(q.Options, last)
	}
	at := 0
	for i, o := range q.Options {
		if o.Name == given.Get(q.Name) {
			at = i
		}
	}
	q.Options[at].Chosen = true
	p.Questions = append(p.Questions, q)
	return at
}

// usualComponent returns the component of the newest configuration.
func (s *site) usualComponent() (string, error) {
	all, err := s.Store.Configurations("", false)
	var newest store.Configuration
	for _, c := range all {
		if c.Component != variables.DefaultComponent && !c.Created.Before(newest.Created) {
			newest = c
		}
	}
	return cmp.Or(newest.Component, defaultComponent), err
}

// showResponse adds the response of the example to the page. It masks the credentials of
// the example.
func (p *draftPage) showResponse(x example.Exchange) {
	known := registryOf(x.Request)
	p.Request, p.Status = known.Mask(scaffold.Asked(x)), x.Status
	p.Kind, _, _ = mime.ParseMediaType(x.ResponseHeader.Get("Content-Type"))
	text := x.Response
	if v, err := value.Parse(text); err == nil {
		text = v.Pretty()
	}
	// The cut after masking also removes a secret that the first cut left incomplete.
	shown := known.Mask(string(text[:min(len(text), 2*shownResponse)]))
	p.More = len(text) > shownResponse
	p.Response = strings.ToValidUTF8(shown[:min(len(shown), shownResponse)], "\ufffd")
}

func (p *draftPage) fromGallery(api gallery.API, x *example.Exchange) error {
	text := api.Config
	var err error
	if x != nil {
		if text, p.Filled, err = api.Fill(text, x.URL, x.Header); err != nil {
			return err
		}
	}
	p.API = &api
	p.Missing = api.Inputs(text)
	p.use(text, api.Title)
	return nil
}

func (p *draftPage) fromExample(x example.Exchange, given url.Values) error {
	known := registryOf(x.Request)
	proposal, err := infer.Infer(x, infer.Choice{DataField: given.Get("data"), Paging: given.Get("paging"), PrimaryKey: given.Get("key")})
	if err != nil && (given.Has("data") || given.Has("paging") || given.Has("key")) {
		// A choice may be impossible after another choice was made.
		given.Del("paging")
		given.Del("key")
		proposal, err = infer.Infer(x, infer.Choice{DataField: given.Get("data")})
	}
	if err != nil {
		return &failure.Error{Kind: failure.KindOf(err), Message: known.Mask(err.Error())}
	}
	for _, q := range []struct {
		name, text string
		options    []infer.Option
	}{
		{"data", "Where is the data?", proposal.DataFields},
		{"paging", "How does the API paginate?", proposal.Pagings},
		{"key", "What is the primary key?", proposal.PrimaryKeys},
	} {
		if len(q.options) < 2 {
			continue
		}
		asked := draftQuestion{Name: q.name, Text: q.text}
		for i, o := range q.options { // the chosen option comes first
			asked.Options = append(asked.Options, draftOption{Name: o.Name, Label: known.Mask(o.Name), Evidence: known.Mask(o.Evidence), Chosen: i == 0})
		}
		p.Questions = append(p.Questions, asked)
	}
	for _, g := range proposal.Guesses {
		g.Value, g.Evidence = known.Mask(g.Value), known.Mask(g.Evidence)
		p.Guesses = append(p.Guesses, g)
	}
	for _, note := range proposal.Notes {
		if !strings.Contains(note, " --") { // flags of the command line are questions on this page
			p.Notes = append(p.Notes, known.Mask(note))
		}
	}
	host := ""
	if u, err := url.Parse(x.URL); err == nil {
		host = " of " + u.Hostname()
	}
	p.use(proposal.Config, known.Mask(proposal.Table)+host)
	p.Document.Document = newDocument([]byte(known.Mask(string(proposal.Config))), nil)
	return nil
}

// use sets the document of the page. name is the default name of the configuration.
func (p *draftPage) use(text []byte, name string) {
	p.config = text
	p.Name = cmp.Or(p.Name, name)
	p.Document = source{Title: "The new configuration", Document: newDocument(text, nil)}
}

const (
	// keptDrafts is the maximum number of drafts. keptBytes is the maximum size of all
	// their responses together. The newest draft is always kept.
	keptDrafts = 8
	keptBytes  = 128 << 20
)

// draft is a configuration that is not stored yet. It has an example with its response,
// which contain credentials, or only an API of the gallery.
type draft struct {
	id string
	// candidates are the example, or the exchanges of an archive. It is empty for an API
	// alone.
	candidates []scaffold.Candidate
	// apis are the entries of the gallery that the example may belong to.
	apis []gallery.API
}

func newDraft() *draft { return &draft{id: rand.Text()} }

func (d *draft) size() (bytes int) {
	for _, c := range d.candidates {
		bytes += len(c.Exchange.Response)
	}
	return bytes
}

// drafts keeps the newest drafts in memory. The zero value is ready to use.
type drafts struct {
	mu   sync.Mutex
	list []*draft // newest last
}

func (k *drafts) add(d *draft) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, d)
	total := 0
	for i := len(k.list) - 1; i >= 0; i-- {
		if total += k.list[i].size(); i < len(k.list)-1 && (total > keptBytes || len(k.list)-i > keptDrafts) {
			k.list = slices.Clone(k.list[i+1:])
			return
		}
	}
}

func (k *drafts) get(id string) (*draft, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.list, func(d *draft) bool { return d.id == id })
	if i < 0 {
		return nil, false
	}
	return k.list[i], true
}

func (k *drafts) remove(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(d *draft) bool { return d.id == id })
}
