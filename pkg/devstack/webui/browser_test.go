package webui

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	imageDirectory = "../../../docs/images"
	imageBytes     = 200_000
)

// TestImages sees that the pictures of the documentation are small.
func TestImages(t *testing.T) {
	pictures, err := filepath.Glob(filepath.Join(imageDirectory, "*.png"))
	if err != nil || len(pictures) == 0 {
		t.Fatal(pictures, err)
	}
	for _, path := range pictures {
		info, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if info.Size() == 0 || info.Size() > imageBytes {
			t.Errorf("%s has %d bytes, want up to %d", path, info.Size(), imageBytes)
		}
	}
}

const live = `document.getElementById("live").dataset.state === "on"`

func TestBrowser(t *testing.T) {
	slowtest.OutsideCI(t, "it starts a browser")
	p := newPlatform(t)
	s := p.fill()
	b := newBrowser(p)

	t.Run("login", func(t *testing.T) {
		b := b.in(t)
		b.visit(jobURL(s.failed.ID))
		_, err := chromedp.RunResponse(b.Ctx, chromedp.SendKeys(chromedp.ID("token"), testToken+kb.Enter))
		b.must(err)
		if got := ask[string](b, "location.pathname"); got != b.session.path+jobURL(s.failed.ID) {
			t.Errorf("the login leads to %s", got)
		}
		b.Do(chromedp.Navigate(b.server + "/?token=" + url.QueryEscape(testToken)))
		if got := ask[string](b, "location.href"); got != b.server+b.session.path+"/" {
			t.Errorf("the token stays in the address: %s", got)
		}
	})
	t.Run("overview", func(t *testing.T) { b.in(t).overview(s) })
	t.Run("failed job", func(t *testing.T) { b.in(t).failed(s) })
	t.Run("tables", func(t *testing.T) {
		b := b.in(t)
		b.visit("/tables")
		b.visit(tableURL("in.c-shop.users"))
		b.picture("tables.png")
		b.Do(chromedp.Click(chromedp.CSS("details summary")))
		if !ask[bool](b, `document.querySelector("details[open] pre").textContent.includes("1999") || document.querySelector("details[open] pre").textContent.includes("Brno")`) {
			t.Error("a long cell does not open")
		}
	})
	t.Run("no page is wider than a phone", func(t *testing.T) { b.in(t).phone(s) })
	t.Run("dark", func(t *testing.T) {
		b := b.in(t)
		b.visit("/")
		const background = "getComputedStyle(document.body).backgroundColor"
		light := ask[string](b, background)
		b.Look(1280, 800, "dark")
		if dark := ask[string](b, background); dark == light {
			t.Errorf("the background is %s in the dark, too", dark)
		}
		b.Look(1280, 800, "light")
	})
	t.Run("keyboard", func(t *testing.T) { b.in(t).keyboard() })
	t.Run("without JavaScript", func(t *testing.T) { b.in(t).withoutScripts(s) })
	t.Run("running job", func(t *testing.T) { b.in(t).running(s) })
	t.Run("sort", func(t *testing.T) { b.in(t).sorts() })
	t.Run("run, cancel, run again", func(t *testing.T) { b.in(t).drive(s) })
	t.Run("incomplete job", func(t *testing.T) { b.in(t).incomplete(s) })

	b.quiet("/nowhere") // it was sent there
}

// in is the same browser for a subtest.
func (b *browser) in(t *testing.T) *browser {
	p := &platform{T: t, store: b.store, page: b.page, beats: b.beats, done: b.done, clock: clock.At(b.clock.Now())}
	return &browser{platform: p, Browser: b.In(t), server: b.server, session: b.session}
}

func (b *browser) overview(s shop) {
	b.visit("/")
	b.Until(live)
	b.picture("overview.png")
	if !ask[bool](b, `[...document.querySelectorAll(".panel")].every((panel) => panel.scrollWidth <= panel.clientWidth)`) {
		b.Error("a table is cut off")
	}
	if got := ask[string](b, "document.title"); got != "1 job running · Local platform" {
		b.Errorf("title %q", got)
	}
	later, err := b.store.CreateJob(store.Job{Component: s.orders.Component, Config: s.orders.ID, Mode: store.Run})
	b.must(err)
	row := `document.querySelector("#job-` + later.ID + ` .status")?.textContent`
	b.Until(row + ` === "created"`)
	b.Do(chromedp.Focus(chromedp.CSS("#job-" + s.failed.ID + " a")))
	b.change(later.ID, func(j *store.Job) error { return j.To(store.Cancelled, b.clock.Now()) })
	b.Until(row + ` === "cancelled"`)
	if got := ask[string](b, `document.activeElement.getAttribute("href")`); got != b.session.path+jobURL(s.failed.ID) {
		b.Errorf("news move the focus to %q", got)
	}
}

func (b *browser) failed(s shop) {
	b.visit(jobURL(s.failed.ID))
	b.picture("job-failed.png")
	const inView = `(() => {
		const line = document.querySelector(".marked").getBoundingClientRect();
		const box = document.querySelector(".code").getBoundingClientRect();
		return line.top >= Math.max(0, box.top) && line.top + 20 <= Math.min(innerHeight, box.bottom);
	})()`
	if !ask[bool](b, inView) {
		b.Error("the marked line is not in view")
	}
	b.Do(chromedp.Click(chromedp.CSS(".problems li:last-child a")))
	const second = `(() => {
		const note = document.getElementById("problem-2").getBoundingClientRect();
		return note.top >= 0 && note.top <= innerHeight;
	})()`
	b.Until(second)
	const shown = `document.querySelectorAll("#events tr.e-%s").length > 0`
	if !ask[bool](b, fmt.Sprintf(shown, "info")) {
		b.Error("events of type info are hidden")
	}
	b.Do(chromedp.Click(chromedp.CSS("input[name=ekind][value=info]")))
	b.Until(`location.search.includes("ekind=error") && !(` + fmt.Sprintf(shown, "info") + `)`)
	if !ask[bool](b, fmt.Sprintf(shown, "error")) {
		b.Error("the filter does not hide info only")
	}
	b.Do(chromedp.SendKeys(chromedp.CSS("input[name=eq]"), "no such text"))
	b.Until(`document.querySelector("#job-events .nothing")?.textContent === "No events match."`)
	b.Until(`document.activeElement.name === "eq"`)
}

func (b *browser) withoutScripts(s shop) {
	scripts := func(off bool) {
		_, err := chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off})
		b.must(err)
	}
	scripts(true)
	defer scripts(false)
	b.visit(jobURL(s.running.ID))
	if got := ask[string](b, `document.getElementById("live").innerText`); got != "reload the page to see changes" {
		b.Errorf("the page shows a person %q", got)
	}
	b.visit(jobURL(s.failed.ID))
	b.Do(chromedp.Click(chromedp.CSS(".problems li:last-child a")))
	if !ask[bool](b, `(() => { const note = document.getElementById("problem-2").getBoundingClientRect(); return note.top >= 0 && note.top < innerHeight; })()`) {
		b.Error("the note is not in view")
	}
}

func (b *browser) running(s shop) {
	id := s.running.ID
	b.visit(jobURL(id))
	b.Until(live)
	b.picture("job-running.png")
	if ask[bool](b, `document.querySelector("#events tr.e-debug") !== null`) {
		b.Error("debug events are not hidden")
	}
	b.say(id, "debug", "Job orders is running", "event", "job.live", "job", "orders", "jobPointer", "/parameters/config/jobs/1", "seconds", 2, "pages", 7, "rows", 1200, "waiting", "status 429 Too Many Requests", "waitSeconds", 12)
	b.Until(`[...document.querySelectorAll("#job-lines tr")].some((row) => row.innerText.includes("orders") && row.innerText.includes("1,200") && row.innerText.includes("waiting 12.0 s: status 429"))`)
	b.Until(`document.querySelector("#job-totals dd").textContent === "1,234"`) // with the 34 rows of users
	e := b.say(id, "warn", "<b>something</b> new")
	b.Until(`document.querySelector("#event-` + e.ID + ` .said")?.textContent === "<b>something</b> new"`)
	bars := ask[int](b, `document.querySelectorAll("#job-requests tbody tr").length`)
	b.request(id, "/orders", "after=1008", 1, 200, 90*time.Millisecond)
	b.Until(fmt.Sprintf(`document.querySelectorAll("#job-requests tbody tr").length === %d`, bars+1))
	b.following(id)
	b.tables(id)
	b.end(id, store.Success, store.Result{Message: "Done.", Tables: []string{"in.c-shop.orders"}})
	b.Until(`document.querySelector("#job-head .status").textContent === "success"`)
	b.Until(`document.querySelector("#job-tables a")?.textContent === "in.c-shop.orders"`)
	b.Until(`document.getElementById("live").dataset.state === "done"`)
	if got := ask[string](b, "document.title"); got != "Job "+id+": success · Local platform" {
		b.Errorf("title %q", got)
	}
	if got := ask[string](b, `document.querySelector("[role=status]").textContent`); !strings.Contains(got, "success") {
		b.Errorf("a screen reader hears %q", got)
	}
}

// following: the log follows its end, also when its size changes, until someone scrolls
// away from it.
func (b *browser) following(job string) {
	b.Helper()
	const atEnd = `(() => { const log = document.getElementById("log"); return log.scrollHeight > log.clientHeight && log.scrollHeight - log.scrollTop - log.clientHeight < 5; })()`
	var last store.Event
	for i := range 40 {
		last = b.say(job, "info", fmt.Sprintf("line %d", i))
	}
	shown := func(e store.Event) string { return `document.getElementById("event-` + e.ID + `") !== null` }
	b.Until(shown(last) + " && " + atEnd)
	b.Look(600, 700, "light")
	b.Until(atEnd)
	b.Look(1280, 800, "light")
	b.Until(atEnd)
	last = b.say(job, "info", "after the size has changed")
	b.Until(shown(last) + " && " + atEnd)
	ask[bool](b, `(() => {
		const log = document.getElementById("log");
		log.addEventListener("scroll", () => log.dataset.scrolled = "yes");
		log.scrollTop = 0;
		return true;
	})()`)
	b.Until(`document.getElementById("log").dataset.scrolled === "yes"`)
	last = b.say(job, "info", "while someone reads")
	b.Until(shown(last))
	if ask[bool](b, atEnd) {
		b.Error("the log scrolls away from someone who reads")
	}
}

// drive runs a configuration, cancels the job, and runs it again, by the buttons.
func (b *browser) drive(s shop) {
	path := "/configurations/acme.ex-shop/" + s.orders.ID
	press := func(selector, until string) {
		b.Helper()
		_, err := chromedp.RunResponse(b.Ctx, chromedp.Click(chromedp.CSS(selector)))
		b.must(err)
		b.Until(until)
	}
	b.visit(path)
	b.Do(chromedp.SendKeys(chromedp.CSS(`input[name="value.since"]`), "2026-01-01"))
	press("#run button", `document.querySelector("h1")?.textContent.startsWith("Job ")`)
	id := strings.TrimPrefix(ask[string](b, `document.querySelector("h1").textContent`), "Job ")
	j, err := b.store.Job(id)
	b.must(err)
	if want := `{"values":[{"name":"bucket","value":"shop"},{"name":"secret","value":"let-me-in"},{"name":"since","value":"2026-01-01"}]}`; string(j.VariableValuesData) != want {
		b.Errorf("the job has %s, want %s", j.VariableValuesData, want)
	}
	press("#job-head .actions button", `document.querySelector("#job-head .status").textContent === "cancelled"`)
	press("#job-head .actions button", `document.querySelector("h1")?.textContent !== "Job `+id+`"`)
	again, err := b.store.Job(strings.TrimPrefix(ask[string](b, `document.querySelector("h1").textContent`), "Job "))
	b.must(err)
	if again.Config != j.Config || string(again.VariableValuesData) != string(j.VariableValuesData) {
		b.Errorf("run again as %+v", again)
	}
}

// sorts searches and sorts the rows of a table on its page.
func (b *browser) sorts() {
	b.visit(tableURL("in.c-shop.users"))
	const first = `document.querySelector("#table-rows tbody td").textContent`
	header := `th.sortable:nth-child(2) a`
	b.Do(chromedp.Click(chromedp.CSS(header)))
	b.Until(`location.search === "?sort=id" && ` + first + ` === "1"`)
	b.Do(chromedp.Click(chromedp.CSS(header)))
	b.Until(`location.search === "?desc=1&sort=id" && ` + first + ` === "34"`)
	b.Do(chromedp.SendKeys(chromedp.CSS("input[name=q]"), "béla"))
	b.Until(`document.querySelector("#table-rows .summary").textContent === "7 rows that match"`)
	b.Do(chromedp.Navigate(ask[string](b, "location.href")))
	b.Until(`document.querySelector("#table-rows .summary").textContent === "7 rows that match"`)
}

func (b *browser) incomplete(s shop) {
	j := b.start(s.orders)
	b.visit(jobURL(j.ID))
	b.Until(live)
	b.endIncomplete(j.ID, 2)
	b.Until(`document.querySelector("#job-head .state").textContent === "success incomplete"`)
	b.Until(`document.querySelectorAll("#job-findings li").length === 2`)
	b.Until(`document.getElementById("live").dataset.state === "done"`)
	if got := ask[string](b, "document.title"); got != "Job "+j.ID+": success, incomplete · Local platform" {
		b.Errorf("title %q", got)
	}
	if got := ask[string](b, `document.querySelector("[role=status]").textContent`); !strings.Contains(got, "data may be missing") {
		b.Errorf("a screen reader hears %q", got)
	}
	b.Look(360, 740, "dark")
	for _, path := range []string{"/", jobURL(j.ID)} {
		b.visit(path)
		if got := ask[int](b, "document.documentElement.scrollWidth"); got > 360 {
			b.Errorf("%s is %d pixels wide", path, got)
		}
		const apart = `(() => {
			const [state, badge] = [...document.querySelectorAll(".state:has(.incomplete) .status")].map((e) => e.getBoundingClientRect());
			return badge.width > 0 && (badge.left >= state.right || badge.top >= state.bottom);
		})()`
		if !ask[bool](b, apart) {
			b.Errorf("%s does not show both words", path)
		}
	}
	b.Look(1280, 800, "light")
}

func (b *browser) phone(s shop) {
	b.Look(360, 740, "dark")
	for _, path := range []string{
		"/", "/tables", tableURL("in.c-shop.users"), jobURL(s.failed.ID), jobURL(s.running.ID), jobURL(s.succeeded.ID),
		"/configurations/acme.ex-shop/" + s.orders.ID, "/configurations/" + variablesComponent + "/" + s.variables.ID, "/nowhere", "/login",
	} {
		if path == "/login" {
			b.Do(chromedp.Navigate(b.server + path))
		} else {
			b.visit(path)
		}
		if got := ask[int](b, "document.documentElement.scrollWidth"); got > 360 {
			b.Errorf("%s is %d pixels wide", path, got)
		}
		if path == jobURL(s.failed.ID) {
			b.picture("job-phone-dark.png")
		}
	}
	b.Look(1280, 800, "light")
}

func (b *browser) keyboard() {
	b.visit("/")
	b.Until(live)
	for _, want := range []string{"Skip to the content", "Local platform", "Overview", "Tables", "Files", "New"} {
		b.Do(chromedp.KeyEvent(kb.Tab))
		if got := ask[string](b, "document.activeElement.textContent"); got != want {
			b.Fatalf("the focus is on %q, want %q", got, want)
		}
		if !ask[bool](b, `getComputedStyle(document.activeElement).outlineStyle !== "none" && document.activeElement.getBoundingClientRect().top >= 0`) {
			b.Errorf("the focus on %q cannot be seen", want)
		}
	}
	b.visit("/")
	b.Do(chromedp.KeyEvent(kb.Tab))
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`location.hash === "#main"`)
	b.Do(chromedp.KeyEvent(kb.Tab))
	if !ask[bool](b, `document.getElementById("main").contains(document.activeElement)`) {
		b.Error("skipping leads nowhere")
	}
}
