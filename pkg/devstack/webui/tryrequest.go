package webui

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	apirequest "github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Limits of the page of a request.
const (
	maxParts   = 300
	maxPart    = 2000
	maxAddress = 8000
)

// requestPage is the page of one exchange of a try.
type requestPage struct {
	Try     tryrun.State
	TryPath string
	Row     tryrun.Row
	// Path is the path of this page.
	Path   string
	Method string
	URL    string
	// Parts are the parts of the URL and the method, with their sources.
	Parts []requestPart
	// Headers are the headers of the request, with their sources.
	Headers []requestPart
	// Sent is the body of the request. SentParts are its fields, with their sources.
	Sent      *bodyView
	SentParts []requestPart
	SentType  string
	// Responded is true if there is a response. Unknown is true if the request was missing
	// in the recording that the try replayed.
	Responded       bool
	Unknown         bool
	Tone            string
	Status          int
	StatusText      string
	ResponseHeaders []requestPart
	Response        bodyView
	ResponseType    string
	Size            int64
	// Omitted is the reason why the recording lacks the body, or "".
	Omitted string
	// More is the path that shows more of the body. It is "" if the page shows the whole
	// body, or as much of it as it can.
	More     string
	Reading  *har.PageFindings
	DataPath string
	// StopEdit is the path of the editor at the setting that ended pagination.
	StopEdit string
	// Previous and Next are the paths of the neighbours in the tree.
	Previous, Next string
}

type requestPart struct {
	Name, Value string
	// Hidden is true if the value is a secret.
	Hidden  bool
	Sources []partSource
	// Marked is true if the part leads to the next page.
	Marked bool
}

// partSource is the source of a part: a description, the pointer of the setting, and the
// path of the editor at the setting.
type partSource struct{ From, Pointer, Edit string }

func (s *site) tryRequest(w http.ResponseWriter, r *http.Request, t *tryrun.Try) error {
	x, err := exchangeOf(t, r)
	if err != nil {
		return err
	}
	defer x.Close()
	level, _ := strconv.Atoi(r.URL.Query().Get("more")) // invalid values become 0
	level = max(0, min(level, len(bodyLevels())-1))
	page, err := newRequestPage(t.Info(), x, level)
	if err != nil {
		return err
	}
	if err := neighbours(page, t); err != nil {
		return err
	}
	return s.show(w, http.StatusOK, "tryrequest", layout{Title: page.Method + " " + textfmt.Cut(page.URL, 100), Section: "overview", Assets: []string{"try.css", "try.js"}, Body: page})
}

// exchangeOf returns the exchange that the path of a request names. The caller must close
// the exchange.
func exchangeOf(t *tryrun.Try, r *http.Request) (*tryrun.RecordedExchange, error) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return nil, store.ErrNotFound
	}
	x, ok, err := t.Exchange(number)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return x, err
}

// tryBody sends the whole body of a response, with a type that no browser renders.
func (s *site) tryBody(w http.ResponseWriter, r *http.Request, t *tryrun.Try) error {
	x, err := exchangeOf(t, r)
	if err != nil {
		return err
	}
	defer x.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fmt.Sprintf("response-%d%s", x.Number, extension(x.Response.Content.MimeType))}))
	to := newDeadlineWriter(w)
	defer to.release()
	if r.Method == http.MethodHead {
		return nil
	}
	buffer := make([]byte, 32<<10)
	body := x.Body()
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			if _, failed := to.Write(buffer[:n]); failed != nil {
				return nil // the browser has disconnected
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return s.broken(r, err)
		}
	}
}

func extension(mimeType string) string {
	switch {
	case strings.Contains(mimeType, "json"):
		return ".json"
	case strings.Contains(mimeType, "xml"):
		return ".xml"
	case strings.Contains(mimeType, "csv"):
		return ".csv"
	default:
		return ".txt"
	}
}

// neighbours sets the paths of the requests before and after a page in the tree. It also
// removes marks of values that do not lead to the next page.
func neighbours(page *requestPage, t *tryrun.Try) error {
	index, err := t.Index()
	if err != nil || index == nil {
		return err
	}
	i := slices.IndexFunc(index.Rows, func(r tryrun.Row) bool { return r.Number == page.Row.Number })
	at := func(i int) string { return fmt.Sprintf("%s/requests/%d", page.TryPath, index.Rows[i].Number) }
	if i > 0 {
		page.Previous = at(i - 1)
	}
	if i >= 0 && i < len(index.Rows)-1 {
		page.Next = at(i + 1)
	}
	if found := page.Reading; i >= 0 && found != nil && len(found.Next) == 1 && isOfItem(found.Next[0]) {
		page.Response.markOnly(queryValues(following(index.Rows[i:])))
	}
	return nil
}

// isOfItem reports whether a path for the next page leads to a value of each item.
// Pagination uses one value only.
func isOfItem(path []string) bool { return len(path) > 0 && path[0] == "*" }

// following returns the URL of the page after the first row, or "" if there is none.
func following(rows []tryrun.Row) string {
	if len(rows[0].At) == 0 {
		return ""
	}
	next := slices.Clone(rows[0].At)
	next[len(next)-1]++
	for _, row := range rows {
		if !row.Login && slices.Equal(row.At, next) {
			return row.URL
		}
	}
	return ""
}

func queryValues(address string) []string {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var values []string
	for _, all := range parsed.Query() {
		values = append(values, all...)
	}
	return values
}

func newRequestPage(info tryrun.State, x *tryrun.RecordedExchange, level int) (*requestPage, error) {
	at := tryURL(info.ID)
	p := &requestPage{
		Try: info, TryPath: at, Row: x.Row, Path: fmt.Sprintf("%s/requests/%d", at, x.Number),
		Method: x.Request.Method, URL: textfmt.Cut(x.Request.URL, maxAddress),
		Responded: x.Response.Status != 0, Status: x.Response.Status, StatusText: textfmt.Cut(x.Response.StatusText, maxPart),
		Tone: statusTone(x.Row.Status), Unknown: notRecorded(&x.Row), Size: x.Response.Content.Size, ResponseType: x.Response.Content.MimeType, Reading: x.Reading,
	}
	if x.Response.Content.Omitted || x.Response.Content.Comment == har.FileComment {
		p.Omitted = x.Response.Content.Comment
	}
	e := explainer{info: info}
	if x.Origin != nil {
		e.sources = x.Origin.Sources
	}
	p.Parts = e.pairs(e.address(x.Request), "query ", "?", x.Request.Query)
	p.Headers = e.pairs(nil, "header ", "", x.Request.Headers)
	if post := x.Request.Post; post != nil {
		sent, err := newBodyView(strings.NewReader(post.Text), bodyLevels()[level], nil)
		if err != nil {
			return nil, err
		}
		p.Sent, p.SentType = &sent, post.MimeType
		for _, s := range e.sources {
			if name, ok := strings.CutPrefix(s.Part, "body "); ok && len(p.SentParts) < maxParts {
				p.SentParts = append(p.SentParts, e.withSource(newPart(name, "", false), s))
			}
		}
	}
	for _, h := range x.Response.Headers {
		if len(p.ResponseHeaders) == maxParts {
			break
		}
		leads := x.Reading != nil && strings.EqualFold(h.Name, x.Reading.NextHeader)
		p.ResponseHeaders = append(p.ResponseHeaders, newPart(h.Name, h.Value, leads))
	}
	var err error
	if p.Response, err = newBodyView(x.Body(), bodyLevels()[level], marksOf(x.Reading)); err != nil {
		return nil, err
	}
	if p.Response.Cut && level < len(bodyLevels())-1 {
		p.More = fmt.Sprintf("%s?more=%d", p.Path, level+1)
	}
	if x.Reading != nil {
		p.DataPath = strings.Join(x.Reading.Data, ".")
		if x.Reading.Pointer != "" {
			p.StopEdit = editPath(info.Component, info.Config, x.Reading.Pointer)
		}
	}
	return p, nil
}

// marksOf returns the marks for the body of a response.
func marksOf(found *har.PageFindings) []bodyMark {
	if found == nil {
		return nil
	}
	var marks []bodyMark
	for _, path := range found.Next {
		if isOfItem(path) {
			path = slices.Concat(found.Data, path)
		}
		marks = append(marks, bodyMark{Kind: "next", Label: "next page", Path: path})
	}
	if found.Data != nil {
		marks = append(marks, bodyMark{Kind: "data", Label: "data: " + count(found.Rows, "item"), Path: found.Data})
	}
	return marks
}

func newPart(name, text string, marked bool) requestPart {
	return requestPart{Name: textfmt.Cut(name, maxPart), Value: textfmt.Cut(text, maxPart), Hidden: text == secret.Hidden, Marked: marked}
}

// explainer finds the sources of the parts of a request.
type explainer struct {
	info    tryrun.State
	sources []apirequest.Source
}

func (e explainer) withSource(p requestPart, s apirequest.Source) requestPart {
	from := partSource{From: textfmt.Cut(s.From, maxPart), Pointer: s.Pointer}
	if s.Pointer != "" {
		from.Edit = editPath(e.info.Component, e.info.Config, s.Pointer)
	}
	p.Sources = append(p.Sources, from)
	return p
}

// address returns the parts of the method and URL: the URL without its query, and
// placeholders.
func (e explainer) address(r har.Request) []requestPart {
	base, _, _ := strings.Cut(r.URL, "?")
	all := []requestPart{newPart("address", base, false)}
	for _, s := range e.sources {
		switch {
		case s.Part == "address":
			all[0] = e.withSource(all[0], s)
		case s.Part == "method":
			all = append(all, e.withSource(newPart("method", r.Method, false), s))
		case strings.HasPrefix(s.Part, "placeholder "):
			all = append(all, e.withSource(newPart(strings.TrimPrefix(s.Part, "placeholder "), "", false), s))
		}
	}
	return all
}

// pairs adds query parameters or headers with their sources to the parts.
func (e explainer) pairs(all []requestPart, kind, prefix string, pairs []har.Pair) []requestPart {
	for _, pair := range pairs[:max(0, min(len(pairs), maxParts-len(all)))] {
		part := newPart(prefix+pair.Name, pair.Value, false)
		if s, ok := e.source(kind, pair.Name); ok {
			part = e.withSource(part, s)
		}
		all = append(all, part)
	}
	return all
}

// source returns the source of a part by its name. A parameter such as filter[state] has
// the source of filter.
func (e explainer) source(kind, name string) (apirequest.Source, bool) {
	top, _, _ := strings.Cut(name, "[")
	for _, s := range e.sources {
		if part, ok := strings.CutPrefix(s.Part, kind); ok && (strings.EqualFold(part, name) || part == top) {
			return s, true
		}
	}
	return apirequest.Source{}, false
}
