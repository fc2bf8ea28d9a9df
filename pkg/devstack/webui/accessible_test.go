package webui

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestAccessible sees that each page names what it shows: its controls, tables and regions,
// with headings in order and ids that are there once.
func TestAccessible(t *testing.T) {
	p := newTryPlatform(t)
	s := p.fill()
	try := p.run(p.shop.document(""))
	failed := p.run(p.shop.document(`, {"endpoint": "nowhere"}`))
	hold := make(chan struct{})
	p.shop.hold.Store(&hold)
	running := p.start(p.shop.document(""))
	for _, path := range []string{
		"/", "/tables", tableURL("in.c-shop.users"), tableURL("in.c-shop.users") + "?q=nothing+like+this",
		jobURL(s.running.ID), jobURL(s.failed.ID), jobURL(s.succeeded.ID), jobURL(s.failed.ID) + "?eq=nothing&rq=nothing",
		configurationPath("acme.ex-shop", s.orders.ID), configurationPath(variablesComponent, s.variables.ID),
		configurationPath("acme.ex-shop", s.orders.ID) + "/edit", configurationPath(variablesComponent, s.variables.ID) + "/edit?row=defaults",
		configurationPath("acme.ex-shop", "1") + "/versions", "/begin", "/begin?search=nothing+like+this", "/explain/unknown-key",
		p.led(p.submit("/begin", url.Values{"api": {"stripe"}})),
		running, try, failed, try + "/requests/1", try + "/requests/2",
	} {
		checkAccess(t, path, p.look(path))
	}
	checkAccess(t, "/nowhere", p.get("/nowhere").Body.String())
	checkAccess(t, "/login", p.serve(httptest.NewRequest("GET", "/login", nil)).Body.String())
	close(hold)
}

// checkAccess fails for what a person without sight could not use.
func checkAccess(t *testing.T, path, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []*html.Node
	labelled := map[string]bool{}
	ids := map[string]int{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		all = append(all, n)
		if id := attribute(n, "id"); id != "" {
			ids[id]++
		}
		if n.Data == "label" && attribute(n, "for") != "" && words(n) != "" {
			labelled[attribute(n, "for")] = true
		}
	}
	wrong := func(n *html.Node, format string, more ...any) {
		t.Helper()
		t.Errorf("%s: <%s %s>: %s", path, n.Data, attributes(n), fmt.Sprintf(format, more...))
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%s: the id %s is there %d times", path, id, n)
		}
	}
	level, headings := 0, 0
	for _, n := range all {
		for _, name := range []string{"for", "aria-labelledby", "aria-describedby", "form"} {
			if id := attribute(n, name); id != "" && ids[id] == 0 {
				wrong(n, "%s leads to nothing", name)
			}
		}
		named := attribute(n, "aria-label") != "" || attribute(n, "aria-labelledby") != ""
		switch n.Data {
		case "h1", "h2", "h3", "h4":
			next, _ := strconv.Atoi(n.Data[1:])
			if next > level+1 || words(n) == "" {
				wrong(n, "a heading %q after one of level %d", words(n), level)
			}
			if level = next; next == 1 {
				headings++
			}
		case "a", "button", "summary":
			if words(n) == "" && !named {
				wrong(n, "no text")
			}
		case "input", "textarea", "select":
			hidden := attribute(n, "type") == "hidden" || has(n, "hidden")
			if !hidden && !named && !labelled[attribute(n, "id")] && !slices.ContainsFunc(slices.Collect(n.Ancestors()), func(a *html.Node) bool { return a.Data == "label" && words(a) != "" }) {
				wrong(n, "no label")
			}
		case "table":
			if first := n.FirstChild; first == nil || words(n) == "" || !slices.ContainsFunc(slices.Collect(n.ChildNodes()), func(c *html.Node) bool { return c.Data == "caption" && words(c) != "" }) {
				wrong(n, "no caption")
			}
		case "th":
			if attribute(n, "scope") == "" {
				wrong(n, "no scope")
			}
		case "fieldset":
			if !strings.Contains(render(n), "<legend") {
				wrong(n, "no legend")
			}
		case "svg":
			if attribute(n, "role") == "img" != named || !named && attribute(n, "aria-hidden") != "true" {
				wrong(n, "neither an image with a name nor hidden")
			}
		}
		if attribute(n, "role") == "region" && (!named || attribute(n, "tabindex") != "0") {
			wrong(n, "a region without a name, or that the keyboard does not reach")
		}
	}
	if headings != 1 {
		t.Errorf("%s has %d headings of level 1", path, headings)
	}
	if !strings.Contains(page, `id="announcement" class="unseen" role="status"`) {
		t.Errorf("%s has no place for what a screen reader says", path)
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func attributes(n *html.Node) string {
	var all []string
	for _, a := range n.Attr {
		all = append(all, fmt.Sprintf("%s=%q", a.Key, a.Val))
	}
	return strings.Join(all, " ")
}

// words is the text of an element.
func words(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

func render(n *html.Node) string {
	var b strings.Builder
	_ = html.Render(&b, n) // a builder does not fail
	return b.String()
}
