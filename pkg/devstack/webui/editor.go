package webui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/authoring/langservice"
	places "github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxForm is the maximum size, in bytes, of a form or a request of the editor. A form with
// a text of the maximum size fits: the longest spelling of a byte is %0D%0A, for a
// newline.
const maxForm = 6*langservice.MaxText + 1<<20

// editTarget is the configuration or row that the editor changes.
type editTarget struct {
	store.Configuration
	// Row is nil if the configuration itself is edited.
	Row *store.Row
	// secretNames are the variables with secret values.
	secretNames map[string]bool
}

func (e editTarget) document() json.RawMessage {
	if e.Row != nil {
		return e.Row.Configuration
	}
	return e.Configuration.Configuration
}

func (e editTarget) rowID() string {
	if e.Row == nil {
		return ""
	}
	return e.Row.ID
}

func (e editTarget) title() string {
	if e.Row != nil {
		return cmp.Or(e.Row.Name, "Row "+e.Row.ID)
	}
	return cmp.Or(e.Name, "Configuration "+e.ID)
}

func (s *site) queryTarget(r *http.Request) (editTarget, error) {
	return s.findTarget(r, r.URL.Query().Get("row"))
}

func (s *site) formTarget(r *http.Request) (editTarget, error) {
	if err := readForm(r); err != nil {
		return editTarget{}, err
	}
	return s.findTarget(r, r.PostForm.Get("row"))
}

// findTarget looks up the configuration of a request, or one of its rows. A configuration
// in the trash counts as not found.
func (s *site) findTarget(r *http.Request, row string) (editTarget, error) {
	c, err := s.configurationOf(r)
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

type editorPage struct {
	editTarget
	Title, RowID string
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

func configurationPath(component, id string) string {
	return "/configurations/" + url.PathEscape(component) + "/" + url.PathEscape(id)
}

// editPath returns the path of the editor, scrolled to the value at pointer unless it is
// "".
func editPath(component, id, pointer string) string {
	path := configurationPath(component, id) + "/edit"
	if pointer != "" {
		path += "?at=" + url.QueryEscape(pointer)
	}
	return path
}

func (s *site) editor(w http.ResponseWriter, r *http.Request, e editTarget) error {
	if len(e.prettyText()) > langservice.MaxText {
		return &apiError{http.StatusRequestEntityTooLarge, fmt.Sprintf("This configuration is larger than %d MB, "+
			"which is too large for the editor. Use extractor config pull and extractor config push to edit it as a file.",
			langservice.MaxText>>20)}
	}
	query := r.URL.Query()
	p := editorPage{editTarget: e, Text: s.shownText(e), Base: s.fingerprint(e), Saved: query.Get("saved") != "", At: -1}
	if query.Has("at") {
		if place, _, found := places.New([]byte(p.Text)).Find(query.Get("at")); found {
			p.At = units(p.Text, place.Value.Start)
		}
	}
	return s.showEditor(w, r, http.StatusOK, p)
}

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
	p.Title, p.RowID = p.title(), p.rowID()
	p.StoreID = strings.TrimPrefix(s.placeholder("store"), dots)
	return s.show(w, status, "editor", layout{
		Title: "Edit " + p.Title, Section: "overview", Body: p, Assets: []string{"editor.css", "editor.js", "drafts.js", "try.css", "try.js"},
	})
}

// submit saves the text of the editor's form as a new version, or formats it. It responds
// with JSON if a script sent the form.
func (s *site) submit(w http.ResponseWriter, r *http.Request, e editTarget) error {
	form := r.PostForm
	text := strings.ReplaceAll(form.Get("document"), "\r\n", "\n")
	p := editorPage{editTarget: e, Text: text, Base: form.Get("base"), Comment: form.Get("comment"), At: -1}
	formats := form.Get("do") == "format"
	carryOut := s.save
	if formats {
		carryOut = s.format
	}
	reply, err := carryOut(r, p)
	status := http.StatusOK
	if no, ok := errors.AsType[*apiError](err); ok {
		p.Problem, status = sentence(no.Message), no.Status
		reply = editorResponse{Problem: p.Problem, Conflict: status == http.StatusConflict}
	} else if err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(r.Header.Get("Accept"), "application/json"):
		return writeJSON(w, status, reply)
	case status == http.StatusOK && !formats:
		query := "?saved=1"
		if e.Row != nil {
			query = "?row=" + url.QueryEscape(e.Row.ID) + "&saved=1"
		}
		return s.goTo(w, r, editPath(e.Component, e.ID, "")+query)
	case status == http.StatusOK:
		p.Text = reply.Document
	}
	return s.showEditor(w, r, status, p)
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

func (s *site) format(_ *http.Request, p editorPage) (editorResponse, error) {
	v, err := value.Parse([]byte(p.Text))
	if err != nil {
		return editorResponse{}, unusable("the text is not valid JSON, so it cannot be formatted: " + err.Error())
	}
	return editorResponse{Document: strings.TrimSpace(string(v.Pretty()))}, nil
}

func unusable(message string) error { return &apiError{http.StatusUnprocessableEntity, message} }

// save stores a new version of the configuration or row.
func (s *site) save(r *http.Request, p editorPage) (editorResponse, error) {
	var none editorResponse
	if p.Base != s.fingerprint(p.editTarget) {
		return none, &apiError{http.StatusConflict, fmt.Sprintf("version %d was stored since you opened the editor. "+
			"Your text is still here: copy it, load the new version, and make your change again", p.Version)}
	}
	restored, err := s.restoreSecrets(p.Component, p.ID, []byte(p.Text))
	if err != nil {
		return none, unusable(reason(err))
	}
	document, err := value.Parse(restored)
	switch {
	case err != nil:
		return none, unusable("the text is not valid JSON, so it cannot be saved: " + err.Error())
	case document.Kind() != value.Object:
		return none, unusable("a configuration must be an object, this is " + document.Kind().WithArticle())
	}
	// The configuration is stored by requests to the APIs, with its secrets encrypted.
	sealed, err := s.seal(r.Context(), p.Component, p.ID, document)
	if err != nil {
		return none, err
	}
	path := storagePath(p.Component, p.ID)
	if p.Row != nil {
		path += "/rows/" + url.PathEscape(p.Row.ID)
	}
	change := map[string]any{"configuration": sealed, "changeDescription": p.Comment}
	if err := s.call(r.Context(), http.MethodPut, path, change, nil); err != nil {
		return none, err
	}
	e, err := s.findTarget(r, p.rowID())
	return editorResponse{
		Document: s.hideSaved(p.Text, e.document(), e.secretNames), Base: s.fingerprint(e), Version: e.Version,
		Message: fmt.Sprintf("Saved as version %d.", e.Version),
	}, err
}

// reason returns the message of an error with its JSON pointer.
func reason(err error) string {
	if pointer := failure.PointerOf(err); pointer != "" {
		return strings.TrimSuffix(err.Error(), " (at "+pointer+")") + " (at " + pointer + ")"
	}
	return err.Error()
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

func (s *site) explain(w http.ResponseWriter, r *http.Request) error {
	entry, found := diagnostic.Lookup(r.PathValue("code"))
	if !found {
		return store.ErrNotFound
	}
	return s.show(w, http.StatusOK, "explain", layout{Title: entry.Title, Body: entry, Assets: []string{"editor.css"}})
}
