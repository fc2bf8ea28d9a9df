package webui

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/authoring/infer"
	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/gallery"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// maxExample is the maximum size, in bytes, of an HTTP archive.
	maxExample = 64 << 20
	// shownResponse is the maximum size, in bytes, of a response that a page shows.
	shownResponse = 64 << 10
	// defaultComponent is the component of the first configuration.
	defaultComponent = "acme.ex-shop"
)

type beginPage struct {
	// Example is the text that was pasted. It is shown again if it could not be used.
	Example string
	// Problem is the reason why the example could not be used.
	Problem string
	// Search is the search phrase. APIs are the entries of the gallery that match it.
	Search string
	APIs   []gallery.API
	All    int
}

func (s *site) begin(w http.ResponseWriter, r *http.Request) error {
	return s.showBegin(w, http.StatusOK, beginPage{Search: r.URL.Query().Get("search")})
}

func (s *site) showBegin(w http.ResponseWriter, status int, p beginPage) error {
	all := gallery.All()
	p.All = len(all)
	for _, api := range all {
		if strings.Contains(strings.ToLower(api.Name+" "+api.Title+" "+api.Summary), strings.ToLower(strings.TrimSpace(p.Search))) {
			p.APIs = append(p.APIs, api)
		}
	}
	return s.show(w, status, "begin", layout{Title: "New configuration", Section: "begin", Body: p, Assets: []string{"editor.css", "begin.js"}})
}

// learn reads an example or the name of an API, sends the request of the example, and
// redirects to the draft.
func (s *site) learn(w http.ResponseWriter, r *http.Request) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		if err := r.ParseMultipartForm(maxForm); err != nil {
			return s.showBegin(w, http.StatusBadRequest, beginPage{Problem: "Cannot read the form. The file may be larger than 64 MB."})
		}
		defer func() { _ = r.MultipartForm.RemoveAll() }() // files that stay are in the temporary directory
	} else if err := r.ParseForm(); err != nil {
		return s.showBegin(w, http.StatusBadRequest, beginPage{Problem: "Cannot read the form."})
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
	return s.goTo(w, r, "/begin/"+d.id)
}

// masked masks the credentials of the example text in an error.
func masked(err error, text string) error {
	request, unreadable := requestOf(text)
	if unreadable != nil {
		return err
	}
	return &failure.Error{Kind: failure.KindOf(err), Message: registryOf(request).Mask(err.Error())}
}

func registryOf(r example.Request) *secret.Registry {
	known := &secret.Registry{}
	for _, text := range infer.Secrets(r) {
		known.Add(text)
	}
	return known
}

// requestOf parses a URL or a curl command. Environment variables in a command are empty,
// because users of the web UI must not read the environment of this process.
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
		return nil, failure.Userf("enter a URL or a curl command, choose a HAR file, or choose a known API")
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
	if _, err := infer.Infer(x, infer.Choice{}); err != nil && len(d.apis) == 0 {
		return nil, err
	}
	return d, nil
}

// recognise finds the entries of the gallery for the host of the first candidate.
func (d *draft) recognise() error {
	u, err := url.Parse(d.candidates[0].Exchange.URL)
	if err != nil {
		return failure.Userf("cannot read the URL of the example: %w", err)
	}
	d.apis = gallery.ByHost(u.Hostname())
	return nil
}

// create stores the configuration and redirects to the editor.
func (s *site) create(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(r); err != nil {
		return err
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
	if no, ok := errors.AsType[*apiError](err); ok {
		return s.showDraft(w, r, no.Status, r.PostForm, sentence(no.Message))
	} else if err != nil {
		return err
	}
	s.drafts.remove(d.id)
	pointer := ""
	if len(p.Missing) > 0 && p.Missing[0].Attribute != "" {
		pointer = failure.PointerJoin("/"+config.Wrapper.Name+"/"+config.ConfigSection.Name, p.Missing[0].Attribute)
	}
	return s.goTo(w, r, editPath(p.Component, id, pointer))
}

// store stores the configuration by requests to the APIs, with its secrets encrypted. It
// returns the id of the configuration.
func (s *site) store(ctx context.Context, p draftPage) (id string, err error) {
	document, err := value.Parse(bytes.TrimSpace(p.config))
	if err != nil {
		return "", err
	}
	sealed, err := s.seal(ctx, p.Component, "", document)
	if err != nil {
		return "", err
	}
	comment := "Created from an example"
	if p.API != nil {
		comment = "Created from the gallery: " + p.API.Title
	}
	var made struct {
		ID string `json:"id"`
	}
	err = s.call(ctx, http.MethodPost, storagePath(p.Component, ""), map[string]any{"name": p.Name, "configuration": sealed, "changeDescription": comment}, &made)
	return made.ID, err
}
