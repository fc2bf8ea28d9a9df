package webui

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/keboola/configurable-extractor/internal/chromium"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// restartable is a server whose page can be started again, as with another process, and
// taken away.
type restartable struct {
	*browser
	handler atomic.Pointer[http.Handler]
}

func newRestartable(p *platform) *restartable {
	p.Helper()
	r := &restartable{browser: &browser{platform: p, Browser: chromium.New(p)}}
	r.restart()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if serve := r.handler.Load(); serve != nil {
			(*serve).ServeHTTP(w, request)
			return
		}
		panic(http.ErrAbortHandler) // no response
	}))
	p.Cleanup(func() {
		close(p.done)
		server.Close()
	})
	r.browser.server = server.URL
	return r
}

func (r *restartable) restart() {
	page, session := r.platform.open(func(time.Duration) (<-chan time.Time, func()) { return ticker(20 * time.Millisecond) })
	r.browser.session = session
	r.handler.Store(&page)
}

// typeText changes the text of the editor as typing does.
func (b *browser) typeText(old, fresh string) {
	b.Helper()
	o, _ := json.Marshal(old)
	n, _ := json.Marshal(fresh)
	if !ask[bool](b, `(() => {
		const area = document.getElementById("document");
		const before = area.value;
		area.value = before.replace(`+string(o)+`, `+string(n)+`);
		area.dispatchEvent(new Event("input", {bubbles: true}));
		return area.value !== before;
	})()`) {
		b.Fatalf("the editor has no %q", old)
	}
}

const lostDocument = `{"parameters":{"api":{"baseUrl":"https://h/"},"config":{"#key":"s3cret-1","outputBucket":"b","jobs":[{"endpoint":"e","params":{"k":{"attr":"#key"}}}]}}}`

// TestEditorSurvivesTheServer: while the platform is away no one says that the text is right,
// and after a restart the login comes in place and what was sent is sent again.
func TestEditorSurvivesTheServer(t *testing.T) {
	slowtest.OutsideCI(t, "it starts a browser")
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", ID: "1", Name: "Shop", Configuration: []byte(lostDocument)})
	b := newRestartable(p)
	b.Do(chromedp.Navigate(b.server + "/?token=a+token+%26+more"))
	b.visit(configurationPath(c.Component, c.ID) + "/edit")
	b.Until(`document.getElementById("findings").textContent.includes("No problems found.")`)

	b.handler.Store(nil)
	b.typeText(`"endpoint": "e"`, `"endpoint": "f"`)
	b.Until(`document.getElementById("findings").textContent.includes("does not respond. The text has not been checked.")`)
	b.Do(chromedp.Click(chromedp.ID("save")))
	b.Until(`document.getElementById("editor-problem").textContent.includes("does not respond. Nothing was saved.")`)

	b.restart() // the next check finds another session
	b.Until(`document.getElementById("relogin").open`)
	b.Do(chromedp.SendKeys(chromedp.ID("relogin-token"), "wrong"))
	b.Do(chromedp.Click(chromedp.CSS("#relogin .primary")))
	b.Until(`document.querySelector("#relogin .refused").textContent === "Wrong token."`)
	b.Do(chromedp.Click(chromedp.ID("relogin-later")))
	b.Until(`!document.getElementById("relogin").open && document.getElementById("findings").textContent.includes("The text has not been checked.")`)

	b.Do(chromedp.Click(chromedp.ID("save")))
	b.Until(`document.getElementById("relogin").open`)
	b.Do(chromedp.SendKeys(chromedp.ID("relogin-token"), testToken))
	b.Do(chromedp.Click(chromedp.CSS("#relogin .primary")))
	b.Until(`document.getElementById("editor-state").textContent === "Saved as version 2."`)
	b.Until(`document.getElementById("findings").textContent.includes("No problems found.")`)
	stored, err := p.store.Configuration(c.Component, c.ID)
	b.must(err)
	if !strings.Contains(string(stored.Configuration), `"endpoint":"f"`) {
		t.Errorf("stored %s", stored.Configuration)
	}
	if at := ask[string](b.browser, "location.pathname"); !strings.HasPrefix(at, b.session.path+"/") {
		t.Errorf("the address is %s", at)
	}

	b.restart() // the login opens again, although it was closed once before the last one
	b.typeText(`"endpoint": "f"`, `"endpoint": "g"`)
	b.Until(`document.getElementById("relogin").open`)
	b.Do(chromedp.SendKeys(chromedp.ID("relogin-token"), testToken))
	b.Do(chromedp.Click(chromedp.CSS("#relogin .primary")))
	b.Until(`!document.getElementById("relogin").open`)
	b.Do(chromedp.Click(chromedp.ID("save")))
	b.Until(`document.getElementById("editor-state").textContent === "Saved as version 3."`)

	// Links lead into the new session.
	b.Do(chromedp.Click(chromedp.CSS(".breadcrumbs a")))
	b.Until(`!location.pathname.endsWith("/edit")`)
	if at := ask[string](b.browser, "location.pathname"); at != b.session.path+"/" {
		t.Errorf("a link leads to %s", at)
	}
}

// TestDraftsAreKept: what was typed is offered after a reload, without the secrets in it.
func TestDraftsAreKept(t *testing.T) {
	slowtest.OutsideCI(t, "it starts a browser")
	p := newPlatform(t)
	c := p.configure(store.Configuration{Component: "acme.ex-shop", ID: "1", Name: "Shop", Configuration: []byte(lostDocument)})
	b := newRestartable(p)
	b.Do(chromedp.Navigate(b.server + "/?token=a+token+%26+more"))
	edit := configurationPath(c.Component, c.ID) + "/edit"
	open := func() {
		// The browser must not ask whether to leave.
		b.Until(`(() => {
			const area = document.getElementById("document");
			if (document.getElementById("editor-state")?.textContent === "Not saved.") area.value = area.defaultValue;
			return true;
		})()`)
		b.Do(chromedp.Navigate("about:blank"))
		b.visit(edit)
		b.Until(`document.querySelector(".editor-line") !== null`)
	}
	offered := func() bool { return ask[bool](b.browser, `!document.getElementById("draft-offer").hidden`) }
	open()
	if offered() {
		t.Error("a draft is offered although nothing was typed")
	}
	b.typeText(`"outputBucket": "b"`, `"#new": "typed-s3cret", "outputBucket": "drafted"`)
	b.Until(`Object.values(localStorage).join().includes("drafted")`)
	if kept := ask[string](b.browser, `Object.entries(localStorage).join()`); strings.Contains(kept, "s3cret") || !strings.Contains(kept, "••••") {
		t.Errorf("the browser keeps %s", kept)
	}
	open()
	if !offered() {
		t.Fatal("the draft is not offered")
	}
	b.Do(chromedp.Click(chromedp.ID("draft-take")))
	b.Until(`document.getElementById("document").value.includes('"#new": "", "outputBucket": "drafted"')`)
	b.Do(chromedp.Click(chromedp.ID("save")))
	b.Until(`document.getElementById("editor-state").textContent === "Saved as version 2."`)
	open()
	if offered() {
		t.Error("a draft is offered after it was saved")
	}

	b.typeText(`"drafted"`, `"again"`)
	b.Until(`Object.values(localStorage).join().includes("again")`)
	_, err := p.store.UpdateConfiguration(c.Component, c.ID, func(c *store.Configuration) error { c.Configuration = []byte(lostDocument); return nil })
	b.must(err)
	open()
	b.Until(`document.getElementById("draft-offer").textContent.includes("They are based on version 2; version 3 is stored now.")`)
	b.Do(chromedp.Click(chromedp.ID("draft-drop")))
	open()
	if offered() || ask[int](b.browser, `localStorage.length`) != 0 {
		t.Error("a discarded draft is still there")
	}

	// A draft that is offered survives a change that is taken back, and the save of another window.
	b.typeText(`"outputBucket": "b"`, `"outputBucket": "drafted"`)
	b.Until(`Object.values(localStorage).join().includes("drafted")`)
	open()
	b.typeText(`"outputBucket": "b"`, `"outputBucket": "other"`)
	b.Until(`Object.values(localStorage).join().includes("other")`)
	b.typeText(`"outputBucket": "other"`, `"outputBucket": "b"`)
	b.Until(`Object.values(localStorage).join().includes("drafted")`)
	open()
	b.Do(chromedp.Click(chromedp.ID("draft-take")))
	b.Until(`document.getElementById("document").value.includes("drafted")`)
	b.Until(`JSON.parse(Object.values(localStorage)[0]).time > Date.now() - 300`) // it is written now
	ask[bool](b.browser, `(() => {
		const key = Object.keys(localStorage)[0];
		localStorage.setItem(key, localStorage.getItem(key).replace("drafted", "another window"));
		return true;
	})()`)
	b.Do(chromedp.Click(chromedp.ID("save")))
	b.Until(`document.getElementById("editor-state").textContent === "Saved as version 4."`)
	if kept := ask[string](b.browser, `Object.values(localStorage).join()`); !strings.Contains(kept, "another window") {
		t.Errorf("the draft of another window is %q after a save", kept)
	}
	open()
	b.Do(chromedp.Click(chromedp.ID("draft-drop")))

	// Without room, the editor works as before.
	b.typeText(`"drafted"`, `"kept"`)
	b.Until(`Object.values(localStorage).join().includes("kept")`)
	ask[bool](b.browser, `(() => { Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }; return true; })()`)
	b.typeText(`"kept"`, `"not kept"`)
	time.Sleep(600 * time.Millisecond)
	b.Do(chromedp.Click(chromedp.ID("save")))
	b.Until(`document.getElementById("editor-state").textContent === "Saved as version 5."`)
	if kept := ask[int](b.browser, `localStorage.length`); kept != 0 {
		t.Error("a draft is there after it was saved")
	}

	const stored = `{"values": [{"name": "n", "value": "old"}]}`
	for text, want := range map[string]string{
		`{"a": 1, "#k": "v", "b": [{"#x": {"y": ["v"]}, "c": "w"}]}`:            `{"a": 1, "#k": "", "b": [{"#x": "", "c": "w"}]}`,
		`{"#k": "••••••••0a1b2c3d", "#v": "{{name}}", "#e": "", "#n": null}`:    `{"#k": "••••••••0a1b2c3d", "#v": "{{name}}", "#e": "", "#n": null}`,
		`{"#k": {"env": "TOKEN"}, "#t": true, "#l": [], "#o": { }}`:             `{"#k": {"env": "TOKEN"}, "#t": true, "#l": [], "#o": { }}`,
		`{"#k": {"env": "TOKEN", "x": "v"}, "#v": "{{a}}v{{b}}"}`:               `{"#k": "", "#v": ""}`,
		`{"values": [{"name": "n", "value": "v"}, {"value": 12, "name": "m"}]}`: `{"values": [{"name": "n", "value": ""}, {"value": "", "name": "m"}]}`,
		`{"values": [{"name": "n", "value": "old"}], "params": {"value": 1}}`:   `{"values": [{"name": "n", "value": "old"}], "params": {"value": 1}}`,
		`{"url": "https://h/#part", "a": 1}`:                                    `{"url": "https://h/#part", "a": 1}`,
		`{"#a": "••••••••", "#b": "••••v"}`:                                     `{"#a": "••••••••", "#b": ""}`,
		`{"\u0023k": "v", "#q": "a\"b", "#s" : "v" }`:                           `{"\u0023k": "", "#q": "", "#s" : "" }`,
		// Texts that are not JSON are kept only if no secret was typed.
		"{\"#k\": \"••••••••0a1b2c3d\", \"#v\": {\"env\": \"T\"},\n\"c\": ":     "{\"#k\": \"••••••••0a1b2c3d\", \"#v\": {\"env\": \"T\"},\n\"c\": ",
		`{"url": "https://h/#part", "a": `:                                      `{"url": "https://h/#part", "a": `,
		"{\"#k\": \"-----BEGIN KEY-----\nMIIEv\n-----END KEY-----\", \"a\": 1}": "null",
		"{\"#k\": \"{\n  \"type\": \"account\",\n  \"private_key\": \"v\"}\"}":  "null",
		"{\"#k\": \"v, \"b\": 1,\n\"c\": 2}":                                    "null",
		"{\"#k\": {\"a\": \"v\",\n\"b\": \"w\"":                                 "null",
		"{\"a\": \"open,\n\"#k\":\n  \"v\"}":                                    "null",
		`{"#k\": "v`:                                                            "null",
		`#k: v`:                                                                 "null",
		`{"name": "n", "value": "v`:                                             "null",
		`{"#k": "••••••••0a1b2c3d" v`:                                           "null",
	} {
		in, err := json.Marshal(text)
		b.must(err)
		if got := ask[string](b.browser, `String(withoutSecrets(`+string(in)+`, '`+stored+`'))`); got != want {
			t.Errorf("%s is kept as\n%s, want\n%s", text, got, want)
		}
	}
}
