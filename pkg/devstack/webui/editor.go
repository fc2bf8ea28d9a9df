package webui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/authoring/langservice"
	places "github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxDocument is the maximum size, in bytes, of a form or a request of the editor.
const maxDocument = 8 << 20

func (s *site) editorPages() paths {
	return paths{
		"GET /configurations/{component}/{id}/edit":                        s.editor,
		"POST /configurations/{component}/{id}/edit":                       s.submit,
		"POST /configurations/{component}/{id}/assist":                     s.assist,
		"GET /configurations/{component}/{id}/versions":                    s.versions,
		"POST /configurations/{component}/{id}/versions/{version}/restore": s.restore,
		"GET /explain/{code}":                                              s.explain,
	}
}

// editTarget is the configuration or row that the editor changes.
type editTarget struct {
	store.Configuration
	// Row is nil if the configuration itself is edited.
	Row *store.Row
	// secretNames are the variables with secret values.
	secretNames map[string]bool
}

// document returns the stored document.
func (e editTarget) document() json.RawMessage {
	if e.Row != nil {
		return e.Row.Configuration
	}
	return e.Configuration.Configuration
}

// RowID returns the id of the row, or "" for the configuration itself.
func (e editTarget) RowID() string {
	if e.Row == nil {
		return ""
	}
	return e.Row.ID
}

// Title returns the name of the configuration or row.
func (e editTarget) Title() string {
	if e.Row != nil {
		return cmp.Or(e.Row.Name, "Row "+e.Row.ID)
	}
	return cmp.Or(e.Name, "Configuration "+e.ID)
}

// findTarget looks up the configuration or row of a request. A configuration in the trash
// counts as not found.
func (s *site) findTarget(component, id, row string) (editTarget, error) {
	c, err := s.Store.Configuration(component, id)
	if err != nil {
		return editTarget{}, err
	}
	if c.IsDeleted {
		return editTarget{}, store.ErrNotFound
	}
	e := editTarget{Configuration: c}
	if row != "" {
		stored, found := c.Row(row)
		if !found {
			return editTarget{}, store.ErrNotFound
		}
		e.Row = stored
	}
	e.secretNames, err = s.secretNames(c)
	return e, err
}

// editorPage is the content of the editor.
type editorPage struct {
	editTarget
	// Text is the text in the editor. Base is the fingerprint of the document that it
	// began with.
	Text, Base string
	Comment    string
	// Findings are the problems of the text.
	Findings findingList
	// Problem is the reason why the text was not saved. Saved is true after it was saved.
	Problem string
	Saved   bool
	// StoreID identifies the store. A browser offers only the drafts of this store.
	StoreID string
	// At is the offset, in UTF-16 units, of the value to scroll to, or -1.
	At int
	// Try is the panel for tries of the text.
	Try tryPanel
}

// Path returns the path of the configuration's page.
func (p editorPage) Path() string { return configurationPath(p.Component, p.ID) }

func configurationPath(component, id string) string {
	return "/configurations/" + url.PathEscape(component) + "/" + url.PathEscape(id)
}

// editPath returns the path of the editor, below the path of the session.
func editPath(component, id, row string) string {
	path := configurationPath(component, id) + "/edit"
	if row != "" {
		path += "?row=" + url.QueryEscape(row)
	}
	return path
}

func (s *site) editor(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	e, err := s.findTarget(r.PathValue("component"), r.PathValue("id"), query.Get("row"))
	if err != nil {
		return err
	}
	if len(e.prettyText()) > langservice.MaxText {
		return s.refuse(w, r, http.StatusRequestEntityTooLarge,
			fmt.Sprintf("this configuration is larger than %d MB, which is too large for the editor. Use extractor config pull and extractor config push to edit it as a file", langservice.MaxText>>20))
	}
	p := editorPage{editTarget: e, Text: s.shownText(e), Base: s.fingerprint(e), Saved: query.Get("saved") != "", At: -1}
	if query.Has("at") {
		if place, _, found := places.New([]byte(p.Text)).Find(query.Get("at")); found {
			p.At = units(p.Text, place.Value.Start)
		}
	}
	return s.showEditor(w, r, http.StatusOK, p)
}

// shownText returns the stored document as the editor shows it.
func (s *site) shownText(e editTarget) string { return s.hideSecrets(e.prettyText(), e.secretNames) }

// prettyText returns the stored document in lines, with its secrets.
func (e editTarget) prettyText() string {
	v, err := value.Parse(e.document())
	if err != nil {
		return string(e.document())
	}
	return string(bytes.TrimSpace(v.Pretty()))
}

// fingerprint returns a text that identifies the stored document. It changes only if the
// document changes.
func (s *site) fingerprint(e editTarget) string {
	return strings.TrimPrefix(s.placeholder("fingerprint\x00"+string(e.document())), dots)
}

func (s *site) showEditor(w http.ResponseWriter, r *http.Request, status int, p editorPage) error {
	var err error
	if p.Findings, err = s.findings(r.Context(), p.editTarget, p.Text); err != nil {
		return err
	}
	if p.Try, err = s.panel(p.Component, p.ID); err != nil {
		return err
	}
	p.StoreID = strings.TrimPrefix(s.placeholder("store"), dots)
	s.show(w, status, "editor", layout{
		Title: "Edit " + p.Title(), Section: "overview", Body: p, Assets: []string{"editor.css", "editor.js", "drafts.js", "try.css", "try.js"},
	})
	return nil
}

// submission is the content of the editor's form.
type submission struct {
	editTarget
	text, comment, base, do string
	// script is true if a script sent the form and expects JSON.
	script bool
}

// submit saves the text as a new version, or formats it.
func (s *site) submit(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(w, r); err != nil {
		return s.refuse(w, r, http.StatusBadRequest, err.Error())
	}
	e, err := s.findTarget(r.PathValue("component"), r.PathValue("id"), r.PostForm.Get("row"))
	if err != nil {
		return err
	}
	f := submission{
		editTarget: e, text: strings.ReplaceAll(r.PostForm.Get("document"), "\r\n", "\n"), comment: r.PostForm.Get("comment"),
		base: r.PostForm.Get("base"), do: r.PostForm.Get("do"), script: strings.HasPrefix(r.Header.Get("Accept"), "application/json"),
	}
	if f.do == "format" {
		return s.format(w, r, f)
	}
	return s.save(w, r, f)
}

// readForm parses a form of at most maxDocument bytes.
func readForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxDocument)
	if err := r.ParseForm(); err != nil {
		return errors.New("cannot read the form")
	}
	return nil
}

// refuse shows why a request was not carried out.
func (s *site) refuse(w http.ResponseWriter, _ *http.Request, status int, message string) error {
	s.showMessage(w, status, sentence(message))
	return nil
}

// sentence adds a capital letter and a full stop to a message.
func sentence(message string) string {
	if message == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(message)
	message = string(unicode.ToUpper(first)) + message[size:]
	if !strings.HasSuffix(message, ".") && !strings.HasSuffix(message, "?") {
		message += "."
	}
	return message
}

// editorResponse is the response of the editor to its script.
type editorResponse struct {
	Problem string `json:"problem,omitzero"`
	// Conflict is true if another version was stored since the editor was opened.
	Conflict bool `json:"conflict,omitzero"`
	// Document is the text with placeholders for its secrets.
	Document string `json:"document,omitzero"`
	Version  int    `json:"version,omitzero"`
	Base     string `json:"base,omitzero"`
	Message  string `json:"message,omitzero"`
}

// respondEdit responds to a submission that changed nothing.
func (s *site) respondEdit(w http.ResponseWriter, r *http.Request, f submission, status int, problem string) error {
	problem = sentence(problem)
	if f.script {
		return writeJSON(w, status, editorResponse{Problem: problem, Conflict: status == http.StatusConflict})
	}
	return s.showEditor(w, r, status, editorPage{editTarget: f.editTarget, Text: f.text, Base: f.base, Comment: f.comment, Problem: problem, At: -1})
}

func (s *site) format(w http.ResponseWriter, r *http.Request, f submission) error {
	v, err := value.Parse([]byte(f.text))
	if err != nil {
		return s.respondEdit(w, r, f, http.StatusUnprocessableEntity, "the text is not valid JSON, so it cannot be formatted: "+err.Error())
	}
	f.text = strings.TrimSpace(string(v.Pretty()))
	if f.script {
		return writeJSON(w, http.StatusOK, editorResponse{Document: f.text})
	}
	return s.showEditor(w, r, http.StatusOK, editorPage{editTarget: f.editTarget, Text: f.text, Base: f.base, Comment: f.comment, At: -1})
}

// save stores a new version of the configuration or row.
func (s *site) save(w http.ResponseWriter, r *http.Request, f submission) error {
	if f.base != s.fingerprint(f.editTarget) {
		return s.respondEdit(w, r, f, http.StatusConflict,
			fmt.Sprintf("version %d was stored since you opened the editor. Your text is still here: copy it, load the new version, and make your change again", f.Version))
	}
	restored, err := s.restoreSecrets(f.Component, f.ID, []byte(f.text))
	if err != nil {
		return s.respondEdit(w, r, f, http.StatusUnprocessableEntity, reason(err))
	}
	document, err := value.Parse(restored)
	switch {
	case err != nil:
		return s.respondEdit(w, r, f, http.StatusUnprocessableEntity, "the text is not valid JSON, so it cannot be saved: "+err.Error())
	case document.Kind() != value.Object:
		return s.respondEdit(w, r, f, http.StatusUnprocessableEntity, "a configuration must be an object, this is "+document.Kind().WithArticle())
	}
	stored, err := s.put(r.Context(), f, document)
	if no, ok := errors.AsType[*apiError](err); ok {
		return s.respondEdit(w, r, f, no.Status, no.Message)
	} else if err != nil {
		return err
	}
	if !f.script {
		to := editPath(f.Component, f.ID, f.RowID())
		to += map[bool]string{true: "&", false: "?"}[f.Row != nil] + "saved=1"
		http.Redirect(w, r, s.session.path+to, http.StatusSeeOther)
		return nil
	}
	e, err := s.findTarget(f.Component, f.ID, f.RowID())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, editorResponse{
		Document: s.hideSaved(f.text, e.document(), e.secretNames), Base: s.fingerprint(e), Version: stored,
		Message: fmt.Sprintf("Saved as version %d.", stored),
	})
}

// reason returns the message of an error with its JSON pointer.
func reason(err error) string {
	if pointer := failure.PointerOf(err); pointer != "" {
		return strings.TrimSuffix(err.Error(), " (at "+pointer+")") + " (at " + pointer + ")"
	}
	return err.Error()
}

// put encrypts the secrets of a document and stores it by requests to the APIs. It
// returns the number of the new version of the configuration.
func (s *site) put(ctx context.Context, f submission, document value.Value) (version int, err error) {
	sealed, err := s.seal(ctx, f.Component, f.ID, document)
	if err != nil {
		return 0, err
	}
	path := storagePath(f.Component, f.ID)
	if f.Row != nil {
		path += "/rows/" + url.PathEscape(f.Row.ID)
	}
	if err := s.call(ctx, http.MethodPut, path, map[string]any{"configuration": sealed, "changeDescription": f.comment}, nil); err != nil {
		return 0, err
	}
	c, err := s.Store.Configuration(f.Component, f.ID)
	return c.Version, err
}

// storagePath returns the path of a configuration in the storage API. If id is "", it
// returns the path of all configurations of the component.
func storagePath(component, id string) string {
	path := "/v2/storage/components/" + url.PathEscape(component) + "/configs"
	if id != "" {
		path += "/" + url.PathEscape(id)
	}
	return path
}

// seal encrypts the secrets of a document for a configuration, or for all configurations
// of the component if id is "". Names of variables stay plain: the platform does not
// replace variables in a cipher.
func (s *site) seal(ctx context.Context, component, id string, document value.Value) (value.Value, error) {
	query := url.Values{"componentId": {component}, "projectId": {queue.Scope(component, id).Project}}
	if id != "" {
		query.Set("configId", id)
	}
	var text json.RawMessage
	if err := s.call(ctx, http.MethodPost, "/encryption/encrypt?"+query.Encode(), document, &text); err != nil {
		return value.Value{}, err
	}
	sealed, err := value.Parse(text)
	return withHarmless(sealed, document), err
}

// withHarmless returns the sealed document with its harmless values restored from the
// original document.
func withHarmless(sealed, document value.Value) value.Value {
	if sealed.Kind() == value.Array {
		items := make([]value.Value, sealed.Len())
		for i, item := range sealed.Items() {
			items[i] = withHarmless(item, document.Items()[i])
		}
		return value.OfItems(items...)
	}
	return sealed.Map(func(m value.Member) value.Member {
		before := document.Field(m.Name)
		if isSecret(m.Name) && harmless(before.JSON()) {
			m.Value = before
		} else {
			m.Value = withHarmless(m.Value, before)
		}
		return m
	})
}

// writeJSON sends a JSON response to a script.
func writeJSON(w http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the browser has gone
	return nil
}

// isVariables reports whether the configuration only declares variables. The extractor
// does not run such a configuration.
func (e editTarget) isVariables() bool { return e.Component == variables.DefaultComponent }

func (s *site) explain(w http.ResponseWriter, r *http.Request) error {
	entry, found := diagnostic.Lookup(r.PathValue("code"))
	if !found {
		return store.ErrNotFound
	}
	s.show(w, http.StatusOK, "explain", layout{Title: entry.Title, Body: entry, Assets: []string{"editor.css"}})
	return nil
}

// readBody parses the JSON that a script sent.
func readBody(w http.ResponseWriter, r *http.Request, body any) error {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDocument))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, body)
}
