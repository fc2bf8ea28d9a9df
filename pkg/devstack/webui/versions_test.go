package webui

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

func TestCompareLines(t *testing.T) {
	signs := map[string]string{"same": "=", "old": "-", "new": "+", "gap": "…"}
	for _, row := range []struct{ old, fresh, want string }{
		{"a b", "a b", "…2"},
		{"a b c", "a x c", "=a -b +x =c"},
		{"a c", "a b c", "=a +b =c"},
		{"a b c", "a c", "=a -b =c"},
		{"", "x y", "+x +y"},
		{"a b", "", "-a -b"},
		{"a b", "x y", "-a -b +x +y"},
		{"a b c d e", "a x c d y", "=a -b +x =c =d -e +y"},
		{"1 2 3 4 5 6 7 8 9 10 x 12 13 14 15 16", "1 2 3 4 5 6 7 8 9 10 y 12 13 14 15 16", "…7 =8 =9 =10 -x +y =12 =13 =14 …2"},
	} {
		var parts []string
		for _, c := range compareLines(strings.Fields(row.old), strings.Fields(row.fresh)) {
			if c.Omitted > 0 {
				c.Text = fmt.Sprint(c.Omitted)
			}
			parts = append(parts, signs[c.Kind]+c.Text)
		}
		if got := strings.Join(parts, " "); got != row.want {
			t.Errorf("%s and %s: %s, want %s", row.old, row.fresh, got, row.want)
		}
	}
}

// FuzzCompareLines: both texts can be read from the comparison.
func FuzzCompareLines(f *testing.F) {
	f.Add("a b c", "a c b")
	f.Add("", "a")
	f.Add("x x x y", "y x x")
	f.Add("1 2 3 4 5 6 7 8 9 x", "1 2 3 4 5 6 7 8 9 y")
	f.Fuzz(func(t *testing.T, old, fresh string) {
		if strings.Contains(old+fresh, "\n") {
			return
		}
		a, b := strings.Split(old, " "), strings.Split(fresh, " ")
		var before, after []string
		for _, c := range compareLines(a, b) {
			if c.Kind == "gap" {
				same := a[len(before) : len(before)+c.Omitted]
				before, after = append(before, same...), append(after, same...)
				continue
			}
			if c.Kind != "new" {
				if before = append(before, c.Text); c.Old != len(before) {
					t.Fatalf("%+v", c)
				}
			}
			if c.Kind != "old" {
				if after = append(after, c.Text); c.New != len(after) {
					t.Fatalf("%+v", c)
				}
			}
		}
		if strings.Join(before, " ") != old || strings.Join(after, " ") != fresh {
			t.Fatalf("%q %q: %q %q", old, fresh, before, after)
		}
	})
}

func TestVersions(t *testing.T) {
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop", ChangeDescription: "first", Configuration: []byte(`{"a":1,"#k":"s3cret-1"}`),
		Rows: []store.Row{{ID: "r", Name: "Users", Configuration: []byte(`{"x":1}`)}}})
	change := func(description, document, row string) {
		t.Helper()
		_, err := p.store.UpdateConfiguration(c.Component, c.ID, func(c *store.Configuration) error {
			c.Configuration, c.ChangeDescription = []byte(document), description
			if c.Rows[0].Configuration = []byte(row); row != `{"x":1}` {
				c.Rows[0].Version++
			}
			return nil
		})
		p.must(err)
	}
	change("<b>second</b>", `{"a":2,"#k":"s3cret-2"}`, `{"x":1}`)
	change("third", `{"a":2,"#k":"s3cret-2"}`, `{"x":3}`)
	path := configurationPath(c.Component, c.ID) + "/versions"
	body := p.see(path, "first", "&lt;b&gt;second&lt;/b&gt;", "third", ">local</td>", ">current</span>", "/versions/2/restore")
	lacks(t, body, "/versions/3/restore", "s3cret")

	body = p.see(path+"?from=2&to=1", "From version 1 to version 2", `&#34;a&#34;: 1`, `&#34;a&#34;: 2`)
	lacks(t, body, "s3cret", `&#34;x&#34;`)
	if strings.Count(body, "••••••••") != 2 {
		t.Error("the change of a secret is not shown")
	}
	p.see(path+"?from=2&to=3", "<h3>Users</h3>", `&#34;x&#34;: 3`)
	p.see(path+"?from=2&to=2", "The versions are the same.")
	if w := p.get(path + "?from=1&to=99"); w.Code != http.StatusNotFound {
		t.Errorf("no such version: %d", w.Code)
	}
	lacks(t, p.see(path+"?before=2"), "third")

	w := p.submit(path+"/1/restore", url.Values{})
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	restored, err := p.store.Configuration(c.Component, c.ID)
	p.must(err)
	if restored.Version != 4 || string(restored.Configuration) != string(c.Configuration) || string(restored.Rows[0].Configuration) != `{"x":1}` || restored.ChangeDescription != "Restored version 1" {
		t.Errorf("%+v", restored)
	}
	for _, number := range []string{"0", "99", "x"} {
		if w := p.submit(path+"/"+number+"/restore", url.Values{}); w.Code != http.StatusNotFound {
			t.Errorf("version %s: %d", number, w.Code)
		}
	}
}

// TestLargeComparison: a page has a limit.
func TestLargeComparison(t *testing.T) {
	p := newPlatform(t)
	document := func(text string) []byte {
		return []byte(`{"a":["` + strings.Repeat(text+`","`, 2*shownChanges) + `"]}`)
	}
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop", Configuration: document("old")})
	_, err := p.store.UpdateConfiguration(c.Component, c.ID, func(c *store.Configuration) error { c.Configuration = document("new"); return nil })
	p.must(err)
	body := p.see(configurationPath(c.Component, c.ID)+"/versions?from=1&to=2", "more lines not shown")
	if n := strings.Count(body, "<code>"); n > shownChanges {
		t.Errorf("%d lines", n)
	}
}

// TestManyVersions: they are in pages.
func TestManyVersions(t *testing.T) {
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Shop"})
	for i := range shownVersions + 1 {
		_, err := p.store.UpdateConfiguration(c.Component, c.ID, func(c *store.Configuration) error {
			c.ChangeDescription = fmt.Sprintf("change %d.", i)
			return nil
		})
		p.must(err)
	}
	path := configurationPath(c.Component, c.ID) + "/versions"
	lacks(t, p.see(path, "change 100.", "change 1.", "/versions?before=3"), "change 0.")
	lacks(t, p.see(path+"?before=3", "change 0.", ">local</td>"), "change 1.", "before=")
}
