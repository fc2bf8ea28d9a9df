package webui

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/event"
	"golang.org/x/net/html"
)

//go:embed templates
var templateFiles embed.FS

// views holds the templates: each page in the frame, and the fragments for streams.
type views struct {
	pages     map[string]*template.Template
	fragments *template.Template
}

type layout struct {
	// Title describes the content of the page and its state.
	Title string
	// Section is the current entry of the navigation.
	Section string
	// Stream is the path of the events that update the page, below the path of the
	// session.
	Stream string
	// Assets are the file names of style sheets and scripts that only this page needs,
	// such as editor.css.
	Assets []string
	// Outside is true if the page is for clients without a login. Such a page must not
	// contain the path of the session.
	Outside bool
	Body    any
}

// newViews parses the templates. A page is a file that defines "content". The files
// frame.html and parts*.html define templates that pages and fragments share. newViews
// panics on an error, because the templates are compiled in.
func newViews(s *site) views {
	base := template.Must(template.New("").Funcs(s.functions()).ParseFS(templateFiles, "templates/frame.html", "templates/parts*.html"))
	v := views{pages: map[string]*template.Template{}, fragments: base}
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), ".html")
		if name == "frame" || strings.HasPrefix(name, "parts") {
			continue
		}
		v.pages[name] = template.Must(template.Must(base.Clone()).ParseFS(templateFiles, "templates/"+file.Name()))
	}
	return v
}

// show writes a page. It writes nothing if the page cannot be made.
func (s *site) show(w http.ResponseWriter, status int, page string, l layout) error {
	var b bytes.Buffer
	if err := s.views.pages[page].ExecuteTemplate(&b, "frame", l); err != nil {
		return fmt.Errorf("making %s: %w", page, err)
	}
	text := withoutDirections(b.Bytes())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the browser has disconnected
	return nil
}

func (s *site) fragment(name string, data any) (string, error) {
	var b bytes.Buffer
	if err := s.views.fragments.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("making %s: %w", name, err)
	}
	return strings.TrimSpace(string(withoutDirections(b.Bytes()))), nil
}

func (s *site) functions() template.FuncMap {
	return template.FuncMap{
		"asset":            s.assets.path,
		"isStyle":          func(name string) bool { return strings.HasSuffix(name, ".css") },
		"page":             func(path string) string { return s.session.path + path },
		"moment":           func(t time.Time) stamp { return s.stamp(t, time.DateTime, "moment") },
		"clock":            func(t time.Time) stamp { return s.stamp(t, "15:04:05.000", "clock") },
		"seconds":          seconds,
		"took":             took,
		"size":             size,
		"number":           number,
		"count":            count,
		"tableURL":         func(id string) string { return s.session.path + tableURL(id) },
		"fileURL":          func(id string) string { return s.session.path + fileURL(id) },
		"jobURL":           func(id string) string { return s.session.path + jobURL(id) },
		"configurationURL": func(component, id string) string { return s.session.path + configurationPath(component, id) },
		"editURL":          func(component, id, pointer string) string { return s.session.path + editPath(component, id, pointer) },
		"runnable":         runnable,
		"chosen":           slices.Contains[[]string],
		"megabytes":        func(bytes int64) int64 { return bytes / 1e6 },
		"join":             func(names []string) string { return strings.Join(names, ".") },
		"tone":             tone,
		"incomplete":       incomplete,
		"remaining":        remaining,
		"mayBeMissing":     event.MayBeMissing,
		"indent":           func(depth int) string { return strings.Repeat("  ", depth) },
		"plus":             func(a, b int) int { return a + b },
		"command":          shellWord,
		"finished":         store.Status.Finished,
	}
}

func jobURL(id string) string { return "/jobs/" + url.PathEscape(id) }

func tableURL(id string) string { return "/tables/" + url.PathEscape(id) }

func tone(status store.Status) string {
	switch status {
	case store.Success:
		return "good"
	case store.Error:
		return "bad"
	case store.Processing, store.Terminating:
		return "busy"
	case store.Cancelled, store.Terminated:
		return "off"
	default:
		return "idle"
	}
}

func shellWord(text string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r))
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

type stamp struct {
	// Machine is the time in RFC 3339 and UTC. Text is the time for people. Form names
	// the format that a script uses to show the time in the time zone of the browser.
	Machine, Text, Form string
}

func (s *site) stamp(t time.Time, format, form string) stamp {
	if t.IsZero() {
		return stamp{}
	}
	return stamp{t.UTC().Format("2006-01-02T15:04:05.000Z"), t.In(s.Now().Location()).Format(format), form}
}

// seconds formats a duration for people: 84 ms, 1.42 s, 3 min 05 s, 2 h 04 min.
func seconds(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.2f s", d.Truncate(10*time.Millisecond).Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
}

// took formats the duration of a request. Durations below one millisecond are not shown
// as zero.
func took(d time.Duration) string {
	if d < time.Millisecond {
		return "<1 ms"
	}
	return seconds(d)
}

func size(bytes int64) string {
	const unit = 1000
	if bytes < unit {
		return fmt.Sprintf("%d B", bytes)
	}
	value, units := float64(bytes)/unit, "kMGTPE"
	for value >= 999.95 && len(units) > 1 {
		value, units = value/unit, units[1:]
	}
	return fmt.Sprintf("%.1f %cB", value, units[0])
}

func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(n) + " " + thing + "s"
}

//go:embed assets
var assetFiles embed.FS

// assets holds the style sheets, the scripts and the icon. Their URLs contain a hash of
// the content, so browsers may cache them forever.
type assets struct {
	contents map[string][]byte // contents by hashed name
	paths    map[string]string // URL paths by file name
}

func newAssets() assets {
	a := assets{contents: map[string][]byte{}, paths: map[string]string{}}
	files, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic(err) // cannot happen: the files are compiled in
	}
	for _, file := range files {
		a.add(file.Name())
	}
	return a
}

func (a assets) add(name string) {
	content, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // cannot happen: the file is compiled in
	}
	sum := sha256.Sum256(content)
	hashed := hex.EncodeToString(sum[:6]) + "-" + name
	a.contents[hashed] = content
	a.paths[name] = "/assets/" + hashed
}

// path returns the URL path of a file, such as style.css. It panics if there is no such
// file, because only templates name files.
func (a assets) path(name string) string {
	path, found := a.paths[name]
	if !found {
		panic("page: no asset " + name)
	}
	return path
}

func (a assets) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, found := a.contents[name]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// directions are the characters that change the direction of writing. An unclosed
// direction reverses the rest of its line, including the text of the page around it.
const directions = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

// withoutDirections replaces the characters in directions by U+FFFD in the text of a
// page, so that they are visible. It keeps them in attributes and in text areas, because
// their text is stored unchanged.
func withoutDirections(page []byte) []byte {
	found := false
	for _, one := range directions {
		found = found || bytes.Contains(page, []byte(string(one)))
	}
	if !found {
		return page
	}
	var out bytes.Buffer
	tokens := html.NewTokenizer(bytes.NewReader(page))
	edited := false
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		raw := bytes.Clone(tokens.Raw()) // TagName changes the bytes of Raw
		switch kind {
		case html.StartTagToken, html.EndTagToken:
			if name, _ := tokens.TagName(); string(name) == "textarea" {
				edited = kind == html.StartTagToken
			}
		case html.TextToken:
			if !edited {
				raw = bytes.Map(func(r rune) rune {
					if strings.ContainsRune(directions, r) {
						return '\ufffd'
					}
					return r
				}, raw)
			}
		}
		out.Write(raw)
	}
	return out.Bytes()
}
