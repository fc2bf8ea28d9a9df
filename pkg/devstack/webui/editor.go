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

// maxDocument is how large a document of the editor may be, with the rest of its form.
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

// editTarget is what the editor is open for: a configuration, or one of its rows.
type editTarget struct {
	store.Configuration
	// Row is the row, nil for the configuration itself.
	Row *store.Row
	// secretNames are the variables that are secrets.
	secretNames map[string]bool
}

// document is what is stored.
func (e editTarget) document() json.RawMessage {
	if e.Row != nil {
		return e.Row.Configuration
	}
	return e.Configuration.Configuration
}

// RowID is the id of the row, "" for the configuration itself.
func (e editTarget) RowID() string {
	if e.Row == nil {
		return ""
	}
	return e.Row.ID
}

// Title names what is edited.
func (e editTarget) Title() string {
	if e.Row != nil {
		return cmp.Or(e.Row.Name, "Row "+e.Row.ID)
	}
	return cmp.Or(e.Name, "Configuration "+e.ID)
}

// edited finds what a request is about.
func (s *site) edited(component, id, row string) (editTarget, error) {
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
	// Text is the text in the editor; Base says which document it began with.
	Text, Base string
	Comment    string
	// Findings are the problems of the text.
	Findings findingList
	// Problem says why it was not saved, Saved that it was.
	Problem string
	Saved   bool
	// StoreID identifies the store: a browser offers no drafts of another one.
	StoreID string
	// At is the offset, in UTF-16 units, of the value to look at; -1 for none.
	At int
	// Try is for the panel in which the text is tried.
	Try tryPanel
}

// Path is that of the configuration.
func (p editorPage) Path() string { return configurationPath(p.Component, p.ID) }

func configurationPath(component, id string) string {
	return "/configurations/" + url.PathEscape(component) + "/" + url.PathEscape(id)
}

// editPath is the path of the editor, below that of the session.
func editPath(component, id, row string) string {
	path := configurationPath(component, id) + "/edit"
	if row != "" {
		path += "?row=" + url.QueryEscape(row)
	}
	return path
}

func (s *site) editor(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	e, err := s.edited(r.PathValue("component"), r.PathValue("id"), query.Get("row"))
	if err != nil {
		return err
	}
	if len(e.pretty()) > langservice.MaxText {
		return s.refuse(w, r, http.StatusRequestEntityTooLarge,
			fmt.Sprintf("this configuration is larger than %d MB, too large for the editor: change a file with extractor config pull and extractor config push", langservice.MaxText>>20))
	}
	p := editorPage{editTarget: e, Text: s.shown(e), Base: s.fingerprint(e), Saved: query.Get("saved") != "", At: -1}
	if query.Has("at") {
		if place, _, found := places.New([]byte(p.Text)).Find(query.Get("at")); found {
			p.At = units(p.Text, place.Value.Start)
		}
	}
	return s.showEditor(w, r, http.StatusOK, p)
}

// shown is the stored document as the editor shows it.
func (s *site) shown(e editTarget) string { return s.hideSecrets(e.pretty(), e.secretNames) }

// pretty is the stored document in lines, with its secrets.
func (e editTarget) pretty() string {
	v, err := value.Parse(e.document())
	if err != nil {
		return string(e.document())
	}
	return string(bytes.TrimSpace(v.Pretty()))
}

// fingerprint is a text that changes with the stored document, and with nothing else.
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

// submission is what the form of the editor sends.
type submission struct {
	editTarget
	text, comment, base, do string
	// script says that a script sent it, which wants JSON.
	script bool
}

// submit saves the text as a new version, or formats it.
func (s *site) submit(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(w, r); err != nil {
		return s.refuse(w, r, http.StatusBadRequest, err.Error())
	}
	e, err := s.edited(r.PathValue("component"), r.PathValue("id"), r.PostForm.Get("row"))
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

// readForm reads a form of a limited size.
func readForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxDocument)
	if err := r.ParseForm(); err != nil {
		return errors.New("the form cannot be read")
	}
	return nil
}

// refuse shows why a request was not carried out.
func (s *site) refuse(w http.ResponseWriter, _ *http.Request, status int, message string) error {
	s.showMessage(w, status, sentence(message))
	return nil
}

// sentence is a message with a capital letter and a full stop.
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

// reply of the editor to its script.
type editorReply struct {
	Problem string `json:"problem,omitzero"`
	// Conflict says that another version was stored since the editor was opened.
	Conflict bool `json:"conflict,omitzero"`
	// Document is the text with its secrets as placeholders.
	Document string `json:"document,omitzero"`
	Version  int    `json:"version,omitzero"`
	Base     string `json:"base,omitzero"`
	Message  string `json:"message,omitzero"`
}

// respondEdit responds to a submission that changed nothing.
func (s *site) respondEdit(w http.ResponseWriter, r *http.Request, f submission, status int, problem string) error {
	problem = sentence(problem)
	if f.script {
		return writeJSON(w, status, editorReply{Problem: problem, Conflict: status == http.StatusConflict})
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
		return writeJSON(w, http.StatusOK, editorReply{Document: f.text})
	}
	return s.showEditor(w, r, http.StatusOK, editorPage{editTarget: f.editTarget, Text: f.text, Base: f.base, Comment: f.comment, At: -1})
}

// save makes a new version of the configuration or of its row.
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
		return s.respondEdit(w, r, f, http.StatusUnprocessableEntity, "a configuration is an object, this is "+document.Kind().WithArticle())
	}
	stored, err := s.put(r.Context(), f, document)
	if no, ok := errors.AsType[*refused](err); ok {
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
	e, err := s.edited(f.Component, f.ID, f.RowID())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, editorReply{
		Document: s.hideSaved(f.text, e.document(), e.secretNames), Base: s.fingerprint(e), Version: stored,
		Message: fmt.Sprintf("Saved as version %d.", stored),
	})
}

// reason is what a user error says, with its place.
func reason(err error) string {
	if pointer := failure.PointerOf(err); pointer != "" {
		return strings.TrimSuffix(err.Error(), " (at "+pointer+")") + " (at " + pointer + ")"
	}
	return err.Error()
}

// put encrypts the secrets of a document and stores it by the APIs. It returns the number of
// the new version of the configuration.
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

// storagePath is the path of a configuration in the storage API, or of the configurations of
// a component.
func storagePath(component, id string) string {
	path := "/v2/storage/components/" + url.PathEscape(component) + "/configs"
	if id != "" {
		path += "/" + url.PathEscape(id)
	}
	return path
}

// seal encrypts the secrets of a document for a configuration, or for all of a component.
// Names of variables stay: a cipher of {{name}} would not be replaced by the variable.
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

// withHarmless is a sealed document in which harmless values are as they were.
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

// writeJSON responds to a script.
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

// isVariables reports whether a configuration declares variables and is none of the
// extractor.
func (e editTarget) isVariables() bool { return e.Component == variables.DefaultComponent }

func (s *site) explain(w http.ResponseWriter, r *http.Request) error {
	entry, found := diagnostic.Lookup(r.PathValue("code"))
	if !found {
		return store.ErrNotFound
	}
	s.show(w, http.StatusOK, "explain", layout{Title: entry.Title, Body: entry, Assets: []string{"editor.css"}})
	return nil
}

// readBody reads the JSON of a script.
func readBody(w http.ResponseWriter, r *http.Request, body any) error {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDocument))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, body)
}
