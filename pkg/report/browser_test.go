package report_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/keboola/configurable-extractor/internal/chromium"
	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/report"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

const (
	image      = "../../docs/images/report.png"
	imageBytes = 200_000
)

// browser is a real browser that shows a file.
type browser struct {
	*testing.T
	ctx context.Context

	mu sync.Mutex
	// requests are the requested addresses, complaints the messages on its console.
	requests, complaints []string
}

// newBrowser starts a browser, or skips the test if the machine has none.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	b := &browser{T: t, ctx: chromium.Start(t)}
	b.listen()
	return b
}

// listen stores the requests and complaints of the browser. Content that the policy
// refuses is a complaint.
func (b *browser) listen() {
	requests, console := chromedp.Events(b.ctx, network.RequestWillBeSent), chromedp.Console(b.ctx)
	_, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	b.must(err)
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.requests = append(b.requests, e.Request.URL)
			b.mu.Unlock()
		}
	}()
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.complaints = append(b.complaints, fmt.Sprintf("%s: %s", m.Type, m.Text))
			b.mu.Unlock()
		}
	}()
}

func (b *browser) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *browser) look(width, height int64, scheme string) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)))
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
	}})
	b.must(err)
}

// ask evaluates an expression.
func ask[T any](b *browser, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// open opens a page from the disk and returns its address.
func (b *browser) open(page string) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "report.html")
	write(b.T, file, page)
	b.must(chromedp.Do(b.ctx, chromedp.Navigate("file://"+file)))
	return "file://" + file
}

// shows checks that a part of the page shows texts.
func (b *browser) shows(part string, texts ...string) {
	b.Helper()
	shown := ask[string](b, `(document.querySelector("`+part+`") || {innerText: "(it is not there)"}).innerText`)
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			b.Errorf("%s does not show %q but:\n%s", part, text, shown)
		}
	}
}

func TestBrowser(t *testing.T) {
	slowtest.OutsideCI(t, "it starts a browser")
	_, _, _, good := run(t, "")
	_, _, _, bad := run(t, `, {"endpoint": "broken"}`)
	b := newBrowser(t)
	b.look(1280, 1150, "light")

	address := b.open(good)
	b.shows("h1", "shop/config.json")
	b.shows(".totals", "7", "rows", "2.37 s")
	b.shows(".headline", "success")
	b.shows(".facts", "1.2.3", "503 × 1", "http://shop.test/")
	b.shows("#warnings", "/parameters/config/jobs/0/dataFeild", "unknown key", "extractor explain overwritten-parameter")
	b.shows("#jobs", "users/{user}/orders", "/parameters/config/jobs/0/children/0", "/parameters/api/pagination")
	b.shows("#waterfall", "GET /users?offset=0&limit=2", "attempt 2", "POST /login login", "503", "1.00 s", "a pause, shown shortened")
	if got := ask[string](b, `[...document.querySelectorAll("main > section")].map((s) => s.id).join(" ")`); got != "tables jobs waterfall slowest warnings" {
		b.Errorf("the order is %s", got)
	}
	b.shows("#slowest", "http://shop.test/users?offset=0&limit=2&key=[hidden]")
	b.shows("#tables", "shop.orders", "born", "date(10)", "text(2–34)", "33.3 %", "time(20)")
	b.visibleBars()
	if golden.Update(t) {
		picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		b.must(err)
		b.must(os.WriteFile(image, picture, 0o644))
	}
	background := "getComputedStyle(document.body).backgroundColor"
	light := ask[string](b, background)
	b.look(1280, 1150, "dark")
	if ask[string](b, background) == light {
		t.Errorf("the background is %s in the dark, too", light)
	}
	b.look(390, 844, "dark")
	if width := ask[int](b, "document.documentElement.scrollWidth"); width > 390 {
		t.Errorf("the page is %d pixels wide on a phone", width)
	}
	if n := ask[int](b, `[...document.querySelectorAll("table")].filter((t) => !t.caption || !t.caption.innerText || !t.querySelector("th[scope=col]")).length`); n > 0 {
		t.Errorf("%d tables have no caption or no headings", n)
	}

	failed := b.open(bad)
	b.shows(".headline", "failed")
	b.shows("#error", "418", "/parameters/config/jobs/1")
	b.shows("#jobs", "broken", "the run failed before the job ended")
	b.shows("main", "No tables were written.")

	lacking := b.open(incomplete(t))
	b.shows(".headline", "success", "incomplete")
	b.shows("#incomplete", "iteration 2", "'total' of the response says that there are 23 rows, but 15 were fetched", "job.short", "/parameters/api/pagination")
	b.shows("#jobs", "users incomplete", "orders")
	b.shows("#memory", "since", "2026-01-01", "2026-01-02", "/parameters/config/jobs/0/remember/since", "3 values")
	b.shows("#warnings", "/parameters/config/debug")
	if text := ask[string](b, `document.getElementById("jobs").innerText`); strings.Contains(text, "orders incomplete") {
		b.Errorf("a complete job is shown as incomplete:\n%s", text)
	}
	if text := ask[string](b, `document.getElementById("warnings").innerText`); strings.Contains(text, "15 were fetched") {
		b.Errorf("the finding is shown twice:\n%s", text)
	}
	if title := ask[string](b, "document.title"); title != "Extraction report: success, incomplete" {
		b.Errorf("title %q", title)
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if got, want := strings.Join(b.requests, " "), address+" "+failed+" "+lacking; got != want {
		t.Errorf("the browser requested %s, want only %s", got, want)
	}
	for _, complaint := range b.complaints {
		t.Errorf("the browser complains: %s", complaint)
	}
}

// incomplete is the page of a run that lacks rows of one of its two jobs.
func incomplete(t *testing.T) string {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	secrets := &secret.Registry{}
	c := report.New(now, secrets.Mask)
	log := event.NewLog(event.NewJSON(io.Discard), secrets, func() time.Time { return now })
	log.Trace(c.Event)
	users, orders := "/parameters/config/jobs/0", "/parameters/config/jobs/1"
	for _, body := range []event.Body{
		event.ConfigWarning{Pointer: "/parameters/config/debug", Text: "odd"},
		event.JobShort{Job: "users", Fetched: 15, Total: 23, Unit: "rows", Field: "total", Rule: "the page is empty", Pointer: "/parameters/api/pagination", JobPointer: users, Iteration: 2},
		event.StateRead{Name: "since", Value: "2026-01-01", Iteration: 2},
		event.JobFinished{Job: "users", Pages: 2, Rows: 15, Rule: "the page is short", JobPointer: users, Iteration: 2},
		event.JobFinished{Job: "orders", Pages: 1, Rows: 3, Rule: "the page is short", JobPointer: orders, Iteration: 2},
		event.StateRemembered{Name: "since", Value: "2026-01-02", Before: "2026-01-01", Iteration: 2, Pointer: users + "/remember/since"},
		event.StateRemembered{Name: "seen", Values: 3, Iteration: 2, Pointer: orders + "/remember/seen"},
		event.RunFinished{Rows: 18, Tables: 2, Requests: 3, Incomplete: 1},
	} {
		log.Emit(body)
	}
	dir := t.TempDir()
	if err := c.Write(dir, now, ""); err != nil {
		t.Fatal(err)
	}
	return read(t, filepath.Join(dir, "report.html"))
}

// visibleBars checks that each request has a bar in the waterfall at the right place.
func (b *browser) visibleBars() {
	b.Helper()
	const bars = `[...document.querySelectorAll("#waterfall tbody tr")].map((row) => {
		const bar = row.querySelector(".took").getBoundingClientRect(), track = row.querySelector(".track").getBoundingClientRect();
		return {left: bar.left - track.left, right: track.right - bar.right, width: bar.width, height: bar.height};
	})`
	type box struct{ Left, Right, Width, Height float64 }
	all := ask[[]box](b, bars)
	if len(all) != 9 {
		b.Fatalf("%d bars, want 9", len(all))
	}
	for i, bar := range all {
		if bar.Width < 2 || bar.Height < 5 || bar.Left < -1 || bar.Right < -3 {
			b.Errorf("bar %d is not where one can see it: %+v", i, bar)
		}
		if i > 0 && bar.Left <= all[i-1].Left {
			b.Errorf("bar %d does not start after the one before: %+v, %+v", i, all[i-1], bar)
		}
	}
	if ask[int](b, `document.querySelectorAll("#waterfall .track .pause").length`) != 1 {
		b.Error("the wait before the retry has no bar")
	}
}

// TestImage checks that the image of the documentation exists and is small.
func TestImage(t *testing.T) {
	info, err := os.Stat(image)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./pkg/report -run TestBrowser -update", err)
	}
	if info.Size() == 0 || info.Size() > imageBytes {
		t.Errorf("%s has %d bytes, want up to %d", image, info.Size(), imageBytes)
	}
}

func dialer(api *httptest.Server) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, api.Listener.Addr().String())
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
