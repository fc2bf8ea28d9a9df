package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/authoring/gallery"
	"github.com/keboola/configurable-extractor/pkg/authoring/propose"
	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// maxExample is how large an HTTP archive may be.
	maxExample = 64 << 20
	// shownAnswer is how much of an answer is shown, in bytes.
	shownAnswer = 64 << 10
	// defaultComponent is the component of the first configuration.
	defaultComponent = "acme.ex-shop"
)

func (s *site) beginPages() paths {
	return paths{
		"GET /begin":          s.begin,
		"POST /begin":         s.learn,
		"GET /begin/{draft}":  s.draft,
		"POST /begin/{draft}": s.create,
	}
}

// beginPage is the content of the page on which a configuration begins.
type beginPage struct {
	// Example is what was pasted; it is shown again if it could not be used.
	Example string
	// Problem says why.
	Problem string
	// Search is a word, APIs are those of the gallery that match it.
	Search string
	APIs   []gallery.API
	All    int
}

func (s *site) begin(w http.ResponseWriter, r *http.Request) error {
	return s.showBegin(w, http.StatusOK, beginPage{Search: r.URL.Query().Get("search")})
}

func (s *site) showBegin(w http.ResponseWriter, status int, p beginPage) error {
	all, err := gallery.All()
	if err != nil {
		return err
	}
	p.All = len(all)
	for _, api := range all {
		if strings.Contains(strings.ToLower(api.Name+" "+api.Title+" "+api.Summary), strings.ToLower(strings.TrimSpace(p.Search))) {
			p.APIs = append(p.APIs, api)
		}
	}
	s.show(w, status, "begin", layout{Title: "New configuration", Section: "begin", Body: p, Assets: []string{"editor.css", "begin.js"}})
	return nil
}

// learn reads an example or the name of an API, fetches the first answer, and leads to the
// proposal.
func (s *site) learn(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxExample)
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		if err := r.ParseMultipartForm(maxDocument); err != nil {
			return s.showBegin(w, http.StatusBadRequest, beginPage{Problem: "The form cannot be read: the file may be larger than 64 MB."})
		}
		defer func() { _ = r.MultipartForm.RemoveAll() }() // what is left is in the directory for temporary files
	} else if err := r.ParseForm(); err != nil {
		return s.showBegin(w, http.StatusBadRequest, beginPage{Problem: "The form cannot be read."})
	}
	text := strings.TrimSpace(r.PostForm.Get("example"))
	if r.MultipartForm != nil && text == "" {
		text = strings.TrimSpace(r.FormValue("example"))
	}
	d, err := s.learnFrom(r, text)
	if err != nil {
		return s.showBegin(w, http.StatusUnprocessableEntity, beginPage{Example: text, Problem: sentence(reason(masked(err, text)))})
	}
	s.drafts.add(d)
	http.Redirect(w, r, s.session.path+"/begin/"+d.id, http.StatusSeeOther)
	return nil
}

// masked hides the credentials of an example in an error.
func masked(err error, text string) error {
	request, unreadable := requestOf(text)
	if unreadable != nil {
		return err
	}
	return &failure.Error{Kind: failure.KindOf(err), Message: registryOf(request).Redact(err.Error())}
}

func registryOf(r example.Request) *secret.Registry {
	known := &secret.Registry{}
	for _, text := range propose.Secrets(r) {
		known.Add(text)
	}
	return known
}

// requestOf reads an address or a curl command. Variables of a command have no value: those
// of this program are none of the page's business.
func requestOf(text string) (example.Request, error) {
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return example.FromURL(text)
	}
	return example.FromCurl(text+"\n", func(string) string { return "" })
}

func (s *site) learnFrom(r *http.Request, text string) (*draft, error) {
	d := newDraft()
	if api := r.FormValue("api"); api != "" {
		known, err := gallery.Named(api)
		d.apis = []gallery.API{known}
		return d, err
	}
	if file, _, err := r.FormFile("har"); err == nil {
		defer file.Close()
		if d.candidates, err = scaffold.Candidates(file, "", func(example.Request) bool { return true }); err != nil {
			return nil, err
		}
		return d, d.recognise()
	}
	if text == "" {
		return nil, failure.Userf("paste an address or a curl command, choose a HAR file, or choose an API below")
	}
	request, err := requestOf(text)
	if err != nil {
		return nil, err
	}
	x, err := example.Fetch(r.Context(), request, example.Options{UserAgent: "configurable-extractor", Dial: s.Dial})
	if err != nil {
		return nil, err
	}
	d.candidates = []scaffold.Candidate{{Exchange: x}}
	if err := d.recognise(); err != nil {
		return nil, err
	}
	if _, err := propose.Propose(x, propose.Choice{}); err != nil && len(d.apis) == 0 {
		return nil, err
	}
	return d, nil
}

// recognise finds the APIs of the gallery to which the first candidate belongs.
func (d *draft) recognise() error {
	u, err := url.Parse(d.candidates[0].Exchange.URL)
	if err != nil {
		return failure.Userf("cannot read the address of the example: %w", err)
	}
	d.apis, err = gallery.ByHost(u.Hostname())
	return err
}

// draftPage is a configuration that is about to begin, with what speaks for it.
type draftPage struct {
	ID string
	// Component and Name are those of the new configuration.
	Component, Name string
	// Questions are what can be chosen.
	Questions []draftQuestion
	// Guesses are the decisions with their evidence, Notes what a person should know.
	Guesses []propose.Guess
	Notes   []string
	// API is the one of the gallery whose configuration is made, nil for none. Filled are
	// the attributes that the example filled, Missing what has to be filled in.
	API             *gallery.API
	Filled, Missing []string
	// Request is method and address of the example, "" for none; Status, Kind and Answer are
	// what the API answered, More that it is longer.
	Request, Kind, Answer string
	Status                int
	More                  bool
	Document              source
	Problem               string

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
		return s.showBegin(w, http.StatusNotFound, beginPage{Problem: "This beginning is not kept any more. Begin again."})
	}
	p, err := s.proposal(d, given)
	if err != nil {
		status, p.Problem = http.StatusUnprocessableEntity, sentence(reason(err))
	}
	p.Problem = cmp.Or(problem, p.Problem)
	s.show(w, status, "draft", layout{Title: "New configuration", Section: "begin", Body: p, Assets: []string{"editor.css", "begin.js"}})
	return nil
}

// proposal is the configuration with these answers to the questions.
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
			q.Options = append(q.Options, draftOption{Name: api.Name, Label: "The complete one for " + api.Title, Evidence: api.Summary})
		}
		p.ask(q, draftOption{Name: "example", Label: "One guessed from the example", Evidence: "with the choices that you make here"}, given)
	}
	at := 0
	if len(d.candidates) > 1 {
		q := draftQuestion{Name: "exchange", Text: "Which request is the example?"}
		for i, c := range d.candidates {
			q.Options = append(q.Options, draftOption{Name: strconv.Itoa(i), Label: registryOf(c.Exchange.Request).Redact(scaffold.Asked(c.Exchange)), Evidence: count(c.Items, "item")})
		}
		at = p.ask(q, draftOption{}, given)
	}
	var x *example.Exchange
	if len(d.candidates) > 0 {
		x = &d.candidates[at].Exchange
		p.showAnswer(*x)
	}
	for i, api := range d.apis {
		if chosen := given.Get("use"); x == nil || chosen == api.Name || chosen == "" && i == 0 {
			return p, p.fromGallery(api, x)
		}
	}
	return p, p.fromExample(*x, given)
}

// ask adds a question, with one more option if it has a name, and returns the index of the
// answer; without one that of the first option.
func (p *draftPage) ask(q draftQuestion, last draftOption, given url.Values) int {
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

// usualComponent is the component of the newest configuration.
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

// showAnswer shows the first page of the API without the credentials of the example.
func (p *draftPage) showAnswer(x example.Exchange) {
	known := registryOf(x.Request)
	p.Request, p.Status = known.Redact(scaffold.Asked(x)), x.Status
	p.Kind, _, _ = mime.ParseMediaType(x.AnswerHeader.Get("Content-Type"))
	text := x.Answer
	if v, err := value.Parse(text); err == nil {
		text = v.Pretty()
	}
	// What a cut leaves of a secret at the end is cut off too.
	shown := known.Redact(string(text[:min(len(text), 2*shownAnswer)]))
	p.More = len(text) > shownAnswer
	p.Answer = strings.ToValidUTF8(shown[:min(len(shown), shownAnswer)], "\ufffd")
}

func (p *draftPage) fromGallery(api gallery.API, x *example.Exchange) error {
	text, err := gallery.Config(api.Name)
	if err != nil {
		return err
	}
	if x != nil {
		if text, p.Filled, err = api.Fill(text, x.URL, x.Header); err != nil {
			return err
		}
	}
	p.API = &api
	p.Missing, err = api.Placeholders(text)
	p.use(text, api.Title)
	return err
}

func (p *draftPage) fromExample(x example.Exchange, given url.Values) error {
	known := registryOf(x.Request)
	proposal, err := propose.Propose(x, propose.Choice{DataField: given.Get("data"), Paging: given.Get("paging"), PrimaryKey: given.Get("key")})
	if err != nil && (given.Has("data") || given.Has("paging") || given.Has("key")) {
		// A choice may be impossible after another one was made.
		given.Del("paging")
		given.Del("key")
		proposal, err = propose.Propose(x, propose.Choice{DataField: given.Get("data")})
	}
	if err != nil {
		return &failure.Error{Kind: failure.KindOf(err), Message: known.Redact(err.Error())}
	}
	for _, q := range []struct {
		name, text string
		options    []propose.Option
	}{
		{"data", "Where is the data?", proposal.DataFields},
		{"paging", "How does the API page?", proposal.Pagings},
		{"key", "What is the primary key?", proposal.PrimaryKeys},
	} {
		if len(q.options) < 2 {
			continue
		}
		asked := draftQuestion{Name: q.name, Text: q.text}
		for i, o := range q.options { // the one that was taken comes first
			asked.Options = append(asked.Options, draftOption{Name: o.Name, Label: known.Redact(o.Name), Evidence: known.Redact(o.Evidence), Chosen: i == 0})
		}
		p.Questions = append(p.Questions, asked)
	}
	for _, g := range proposal.Guesses {
		g.Value, g.Evidence = known.Redact(g.Value), known.Redact(g.Evidence)
		p.Guesses = append(p.Guesses, g)
	}
	for _, note := range proposal.Notes {
		if !strings.Contains(note, " --") { // what a flag of the command line chooses is a question here
			p.Notes = append(p.Notes, known.Redact(note))
		}
	}
	host := ""
	if u, err := url.Parse(x.URL); err == nil {
		host = " of " + u.Hostname()
	}
	p.use(proposal.Config, known.Redact(proposal.Table)+host)
	p.Document.Document = newDocument([]byte(known.Redact(string(proposal.Config))), nil)
	return nil
}

// use takes a document and a name for the configuration.
func (p *draftPage) use(text []byte, name string) {
	p.config = text
	p.Name = cmp.Or(p.Name, name)
	p.Document = source{Title: "The new configuration", Document: newDocument(text, nil)}
}

// create makes the configuration and opens the editor.
func (s *site) create(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(w, r); err != nil {
		return s.refuse(w, r, http.StatusBadRequest, err.Error())
	}
	d, found := s.drafts.get(r.PathValue("draft"))
	if !found {
		return s.showDraft(w, r, http.StatusNotFound, r.PostForm, "")
	}
	p, err := s.proposal(d, r.PostForm)
	if err != nil {
		return s.showDraft(w, r, http.StatusUnprocessableEntity, r.PostForm, "")
	}
	id, err := s.store(r.Context(), p)
	if no, ok := errors.AsType[*refused](err); ok {
		return s.showDraft(w, r, no.Status, r.PostForm, sentence(no.Message))
	} else if err != nil {
		return err
	}
	s.drafts.remove(d.id)
	to := editPath(p.Component, id, "")
	if len(p.Missing) > 0 && !strings.Contains(p.Missing[0], " ") { // an attribute, not the host
		pointer := failure.PointerJoin("/"+config.Wrapper.Name+"/"+config.ConfigSection.Name, p.Missing[0])
		to += "?at=" + url.QueryEscape(pointer)
	}
	http.Redirect(w, r, s.session.path+to, http.StatusSeeOther)
	return nil
}

// store stores the configuration by the APIs, with its secrets encrypted.
func (s *site) store(ctx context.Context, p draftPage) (id string, err error) {
	document, err := value.Parse(bytes.TrimSpace(p.config))
	if err != nil {
		return "", err
	}
	sealed, err := s.seal(ctx, p.Component, "", document)
	if err != nil {
		return "", err
	}
	comment := "Begun from an example"
	if p.API != nil {
		comment = "Begun from the gallery: " + p.API.Title
	}
	var made struct {
		ID string `json:"id"`
	}
	err = s.call(ctx, http.MethodPost, storagePath(p.Component, ""), map[string]any{"name": p.Name, "configuration": sealed, "changeDescription": comment}, &made)
	return made.ID, err
}
