package webui

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// caretBehind moves the cursor behind a text.
const caretBehind = `(() => {
	const area = document.getElementById("document");
	const at = area.value.indexOf(%TEXT%) + %TEXT%.length;
	area.focus();
	area.setSelectionRange(at, at);
	return at;
})()`

func caret(text string) string { return strings.ReplaceAll(caretBehind, "%TEXT%", "`"+text+"`") }

// TestEditorInBrowser begins with a curl command and ends with a restored version.
func TestEditorInBrowser(t *testing.T) {
	slowtest.OutsideCI(t, "it starts a browser")
	orders := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret-token" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"total": 4, "facets": [{"name": "a"}], "orders": [{"id": 1, "state": "paid"}, {"id": 2, "state": "<b>new</b>"}], "next": "/orders?page=2"}`))
	}))
	t.Cleanup(orders.Close)
	p := newPlatform(t)
	b := newBrowser(p)
	b.visit("/?token=" + "a+token+%26+more")
	b.Do(chromedp.Navigate(b.server + "/?token=a+token+%26+more"))

	b.visit("/begin")
	b.Do(chromedp.Focus(chromedp.ID("search")))
	b.Do(chromedp.KeyEvent("strip"))
	b.Until(`document.querySelectorAll("#gallery li:not([hidden])").length === 1`)
	b.Do(chromedp.SendKeys(chromedp.ID("example"), "curl -H 'Authorization: Bearer s3cret-token' '"+orders.URL+"/orders?page=1'"))
	b.Do(chromedp.Click(chromedp.CSS("#begin-example button")))
	b.Until(`document.querySelector("#draft .question") !== null`)
	if strings.Contains(ask[string](b, "document.documentElement.outerHTML"), "s3cret") {
		t.Error("a credential is shown")
	}
	b.Do(chromedp.Click(chromedp.CSS(`input[name=key][value=id]`)))
	b.Until(`document.querySelector("input[name=key][value=id]").checked && document.querySelector(".source").textContent.includes("primaryKey")`)
	b.Do(chromedp.Click(chromedp.CSS("#draft .confirm button")))
	b.Until(`document.getElementById("document") !== null && document.querySelectorAll(".editor-line").length > 10`)

	// A typo is marked, and completed.
	b.Until(caret(`"jobs": [`) + ` > 0`)
	b.Do(chromedp.KeyEvent(kb.ArrowDown))
	b.Until(caret(`"dataField"`) + ` > 0`)
	for range len(`Field"`) {
		b.Do(chromedp.KeyEvent(kb.Backspace))
	}
	b.Do(chromedp.KeyEvent(`Feild"`))
	b.Until(`document.querySelector(".finding-list")?.textContent.includes("dataField") && document.querySelector(".mark-warning") !== null`)
	for range len(`eild"`) {
		b.Do(chromedp.KeyEvent(kb.Backspace))
	}
	b.Until(`!document.querySelector(".editor-popup").hidden && document.querySelector("[aria-selected=true]").textContent.startsWith("dataField")`)
	b.Do(chromedp.KeyEvent(kb.Tab))
	b.Until(`document.getElementById("document").value.includes('"dataField": "orders"')`)
	b.Until(`document.querySelector(".finding-list") === null`)

	// Enter takes what is offered; else it makes a new line, with blanks as its place needs.
	before := ask[string](b, `document.getElementById("document").value`)
	b.Until(caret(`"dataField": "orders"`) + ` > 0`)
	b.Do(chromedp.KeyEvent(`, "data`))
	b.Until(`!document.querySelector(".editor-popup").hidden && document.querySelector("[aria-selected=true]").textContent.startsWith("dataType")`)
	b.Enter()
	b.Until(`document.getElementById("document").value.includes('"dataField": "orders", "dataType": "')`)
	b.Do(chromedp.KeyEvent("x"))
	b.Until(`document.getElementById("document").value.includes('"dataType": "x"') && document.querySelector(".finding-list") === null`)
	b.Until(caret(`"parameters": {`) + ` > 0`)
	b.Enter()
	b.Do(chromedp.KeyEvent("[,"))
	b.Do(chromedp.KeyEvent(kb.ArrowLeft))
	b.Enter()
	if got := ask[string](b, `document.getElementById("document").value`); !strings.Contains(got, "  \"parameters\": {\n    [\n      ,\n") {
		t.Errorf("new lines are\n%s", got)
	}
	b.Until(`(() => {
		const area = document.getElementById("document");
		area.value = ` + strconv.Quote(before) + `;
		return area.dispatchEvent(new Event("input", {bubbles: true}));
	})()`)
	b.Until(`document.querySelector(".finding-list") === null`)

	// What is at the cursor is explained.
	b.Until(caret(`"pagi`) + ` > 0`)
	b.Do(chromedp.KeyEvent(kb.F1))
	b.Until(`!document.querySelector(".editor-hover").hidden && document.querySelector(".editor-hover").textContent.includes("How the next page is requested")`)

	// The layer and the text are in step.
	const inStep = `(() => {
		const line = document.querySelector(".editor-line[data-line='5']");
		const area = document.getElementById("document");
		const top = line.getBoundingClientRect().top - area.getBoundingClientRect().top;
		return Math.abs(top - (8 + 5 * 20)) < 1 && [...document.querySelectorAll(".editor-line")].every((l) => l.textContent === area.value.split("\n")[+l.dataset.line]);
	})()`
	if !ask[bool](b, inStep) {
		t.Error("the colours are not where the text is")
	}

	// A new secret is typed, a comment given, and saved by the keyboard.
	b.Until(caret(`"#token": "`) + ` > 0`)
	b.Do(chromedp.KeyEvent("new"))
	b.Until(`document.querySelector(".finding-list")?.textContent.includes("type the whole value again")`)
	b.Until(`(() => { const a = document.getElementById("document"); const at = a.value.indexOf('"new••'); a.setSelectionRange(at + 1, a.value.indexOf('"', at + 1)); return at > 0; })()`)
	b.Do(chromedp.KeyEvent("typed-s3cret"))
	b.Do(chromedp.SendKeys(chromedp.ID("comment"), "Another token"))
	b.Do(chromedp.Click(chromedp.ID("save")))
	b.Until(`document.getElementById("editor-state").textContent === "Saved as version 2."`)
	b.Until(`!document.getElementById("document").value.includes("s3cret") && document.getElementById("document").value.includes("••••")`)
	stored, err := p.store.Configuration("acme.ex-shop", ask[string](b, `document.getElementById("editor").dataset.config`))
	p.must(err)
	if text := string(stored.Configuration); stored.Version != 2 || stored.ChangeDescription != "Another token" || !strings.Contains(text, `"dataField":"orders"`) || !strings.Contains(text, "KBC::") {
		t.Errorf("stored %+v: %s", stored, stored.Configuration)
	}

	// Formatting, and a conflict.
	b.Do(chromedp.Focus(chromedp.ID("document")))
	b.Until(caret(`"parameters": {`) + ` > 0`)
	b.Do(chromedp.KeyEvent("     "))
	b.Do(chromedp.Click(chromedp.ID("format")))
	b.Until(`!document.getElementById("document").value.includes("{     ")`)
	_, err = p.store.UpdateConfiguration(stored.Component, stored.ID, func(c *store.Configuration) error { c.Configuration = []byte(`{"parameters":{}}`); return nil })
	p.must(err)
	b.Do(chromedp.Click(chromedp.ID("save")))
	b.Until(`document.getElementById("editor-problem").textContent.includes("Version 3 was stored")`)

	// Escape, then Tab leaves.
	text := ask[string](b, `document.getElementById("document").value`)
	b.Do(chromedp.Focus(chromedp.ID("document")))
	b.Do(chromedp.KeyEvent(kb.Tab))
	if got := ask[string](b, "document.activeElement.id"); got != "document" {
		t.Errorf("Tab leaves to %q", got)
	}
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Do(chromedp.KeyEvent(kb.Tab))
	if got := ask[string](b, "document.activeElement.id"); got == "document" {
		t.Error("Tab does not leave after Escape")
	}

	// Versions: compare, restore.
	b.Until(`(document.getElementById("document").value = ` + strconv.Quote(text) + `) !== ""`) // else the browser asks whether to leave
	b.visit(configurationPath(stored.Component, stored.ID) + "/versions?from=1&to=2")
	b.Until(`document.querySelectorAll(".compared .new").length > 0`)
	b.Do(chromedp.Click(chromedp.CSS(".restore button")))
	b.Until(`document.querySelectorAll(".version-table tbody tr").length === 4`)
	restored, err := p.store.Configuration(stored.Component, stored.ID)
	p.must(err)
	if restored.Version != 4 || string(restored.Configuration) != string(stored.Configuration) {
		t.Errorf("restored %d: %s", restored.Version, restored.Configuration)
	}
	b.visit(configurationPath(stored.Component, stored.ID) + "/edit?at=/parameters/config/jobs/0/dataField")
	b.Until(`(() => { const a = document.getElementById("document"); return a.value.slice(a.selectionStart, a.selectionEnd) === "orders"; })()`)

	t.Run("a large document", func(t *testing.T) { b.in(t).large() })

	b.quiet("409")
}

// large types at the end of 5,000 lines with tabs, wide characters and a long line.
func (b *browser) large() {
	document := `{"note": "` + strings.Repeat("long ", 2000) + `", "tab\t": "` + "日本😀" + `", "jobs": [` + strings.Repeat(`{"endpoint": "users/of/the/company", "dataField": "data.items.list", "more": "and more"},`, 1000) + `{}]}`
	c := b.configure(store.Configuration{Component: "acme.ex-shop", Name: "Large", Configuration: []byte(document)})
	b.visit(configurationPath(c.Component, c.ID) + "/edit?at=/jobs/999")
	b.Until(`document.querySelectorAll(".editor-line").length > 10 && document.getElementById("document").value.split("\n").length > 5000`)
	const shown = `(() => {
		const area = document.getElementById("document");
		const lines = area.value.split("\n");
		const box = document.getElementById("editor-box").getBoundingClientRect();
		const painted = [...document.querySelectorAll(".editor-line")];
		const inView = painted.filter((l) => l.getBoundingClientRect().top >= box.top && l.getBoundingClientRect().bottom <= box.bottom);
		return painted.length < 150 && inView.length > 10 && painted.every((l) => l.textContent.trimEnd() === lines[+l.dataset.line].trimEnd());
	})()`
	b.Until(shown)
	b.Until(caret(`{}`) + ` > 0`)
	b.Until(shown)
	start := ask[float64](b, "performance.now()")
	b.Do(chromedp.KeyEvent(",12345678"))
	b.Until(`document.querySelector(".finding-list")?.textContent.includes("line")`)
	b.Logf("9 keys and their problems took %.0f ms", ask[float64](b, "performance.now()")-start)
	b.Until(shown)
	const caretInView = `(() => {
		const number = [...document.querySelectorAll(".editor-gutter .here")][0].getBoundingClientRect();
		const box = document.getElementById("editor-box").getBoundingClientRect();
		return number.top >= box.top && number.bottom <= box.bottom;
	})()`
	if !ask[bool](b, caretInView) {
		b.Error("the cursor is not in view")
	}
	b.Until(`(document.getElementById("document").value = document.getElementById("document").defaultValue) !== ""`)
}
