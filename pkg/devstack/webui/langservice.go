package webui

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/authoring/langservice"
	places "github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const shownProblems = 200

type findingList struct {
	List []problem `json:"list"`
	// Omitted is the number of problems that are not in List.
	Omitted int `json:"omitted,omitzero"`
}

// problem is one finding in a text. Line counts from 1. Start and End are offsets in
// UTF-16 units.
type problem struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Title    string `json:"title"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitzero"`
	Pointer  string `json:"pointer"`
	Line     int    `json:"line"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
}

// question is a request of the editor's script about a text.
type question struct {
	// Want is findings, completions or hover.
	Want     string `json:"want"`
	Row      string `json:"row"`
	Document string `json:"document"`
	// Cursor is an offset in UTF-16 units.
	Cursor int `json:"cursor"`
}

// assist returns findings, completions or a hover text to the script of the editor.
func (s *site) assist(w http.ResponseWriter, r *http.Request) error {
	var q question
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(text, &q)
	}
	if err != nil {
		return unreadable(err, "Cannot read the request.")
	}
	e, err := s.findTarget(r, q.Row)
	if err != nil {
		return err
	}
	if q.Want == "findings" {
		found, err := s.findings(r.Context(), e, q.Document)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, found)
	}
	if e.Component == variables.DefaultComponent {
		return writeJSON(w, http.StatusOK, struct{}{})
	}
	d := langservice.New(q.Document)
	if d.Variables, err = s.declaredVariables(e); err != nil {
		return err
	}
	at := langservice.Units(q.Document)
	offset := langservice.Offset(q.Document, q.Cursor)
	if q.Want == "hover" {
		h, _ := d.Hover(offset)
		h.Start, h.End = at(h.Start), at(h.End)
		return writeJSON(w, http.StatusOK, h)
	}
	items := d.Complete(offset)
	for i := range items {
		item := &items[i]
		item.Caret = langservice.Units(item.Insert)(item.Caret)
		item.Start, item.End = at(item.Start), at(item.End)
	}
	return writeJSON(w, http.StatusOK, struct {
		Items []langservice.Item `json:"items"`
	}{items})
}

// declaredVariables returns the names of variables that another configuration declares
// for this configuration.
func (s *site) declaredVariables(e editTarget) ([]string, error) {
	found, err := s.variables(e.Configuration)
	if err != nil || found == nil {
		return nil, err
	}
	var names []string
	for _, v := range found.List {
		names = append(names, v.Name)
	}
	return names, nil
}

// findings returns the problems of a text of the editor. For a row it leaves out problems
// of the configuration, and for a configuration problems of its rows.
func (s *site) findings(ctx context.Context, e editTarget, text string) (findingList, error) {
	s.checking.Lock() // one check at a time: the script cancels requests whose result it no longer needs
	defer s.checking.Unlock()
	if ctx.Err() != nil {
		return findingList{}, nil
	}
	names, err := s.namesIn(e.Configuration, []byte(text))
	if err != nil {
		return findingList{}, err
	}
	f, unknown := s.decrypted(s.storedSecrets(e.Configuration, names), e.Configuration).fill(text, names)
	o := load.Options{Now: s.Now}
	asked := e.Configuration
	asked.Configuration = e.whole([]byte(text))
	if o.Variables, err = s.knownValues(asked); err != nil {
		return findingList{}, err
	}
	found := check(ctx, e, []byte(f.text), o)
	list := findingList{List: []problem{}}
	if unknown != nil {
		start, end := f.unknown.start, f.unknown.end
		line, _ := places.New([]byte(text)).Position(start)
		list.List = append(list.List, problem{
			Severity: "error", Title: "Unknown value", Message: sentence(reason(unknown)), Pointer: failure.PointerOf(unknown),
			Line: line, Start: units(text, start), End: units(text, end),
		})
	}
	list.Omitted = max(len(found)-shownProblems, 0)
	at := langservice.Units(text)
	for _, p := range found[:len(found)-list.Omitted] {
		list.List = append(list.List, problem{
			Severity: string(p.Severity), Code: string(p.Code), Title: p.Title, Message: sentence(p.Message), Hint: sentence(p.Hint), Pointer: p.Pointer,
			Line: p.Line, Start: at(f.original(p.Start)), End: at(f.original(p.End)),
		})
	}
	return list, nil
}

// check returns the findings about a text that contains its secrets.
func check(ctx context.Context, e editTarget, text []byte, o load.Options) []langservice.Finding {
	doc, err := value.Parse(text)
	switch {
	case err != nil:
		return langservice.Check(ctx, text, nil, o)
	case e.Component == variables.DefaultComponent: // the extractor does not run it
		return nil
	case e.Row != nil:
		return langservice.Check(ctx, text, queue.RowDocument(fields(e.Configuration.Configuration), doc).Pretty(), o)
	case len(e.Rows) > 0:
		return checkWithRows(ctx, text, doc, e.Rows[:min(len(e.Rows), checkedRows)], o)
	default:
		return langservice.Check(ctx, text, nil, o)
	}
}

const checkedRows = 10

// checkWithRows returns the findings that a configuration has with every row.
func checkWithRows(ctx context.Context, text []byte, doc value.Value, rows []store.Row, o load.Options) (common []langservice.Finding) {
	for i, row := range rows {
		found := langservice.Check(ctx, text, queue.RowDocument(doc, fields(row.Configuration)).Pretty(), o)
		if i == 0 {
			common = found
		}
		common = slices.DeleteFunc(common, func(f langservice.Finding) bool {
			return !slices.ContainsFunc(found, func(g langservice.Finding) bool { return g.Code == f.Code && g.Pointer == f.Pointer })
		})
	}
	return common
}

func units(text string, offset int) int { return langservice.Units(text)(offset) }
