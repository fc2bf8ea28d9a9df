package chromium

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// untilTimeout is the timeout of Until.
const untilTimeout = 10 * time.Second

// Browser is a running browser that a test controls. An action that fails ends the
// test.
type Browser struct {
	Ctx context.Context

	t   testing.TB
	log *browserLog
}

// browserLog records the requests and the complaints of a browser.
type browserLog struct {
	mu         sync.Mutex
	hosts      map[string]bool
	complaints []string
}

// New starts a browser with a window of 1280 by 800 pixels, the light colour scheme and
// the time zone UTC. The browser runs until the end of the test. New skips the test if
// the machine has no browser.
func New(t testing.TB) *Browser {
	t.Helper()
	b := &Browser{Ctx: Start(t), t: t, log: &browserLog{hosts: map[string]bool{}}}
	b.listen()
	b.Look(1280, 800, "light")
	_, err := chromedp.Call(b.Ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"})
	b.check(err)
	return b
}

// In returns the same browser for a subtest.
func (b *Browser) In(t testing.TB) *Browser { return &Browser{Ctx: b.Ctx, t: t, log: b.log} }

func (b *Browser) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// listen records the requests and the complaints of the browser. Content that the
// policy of a page refuses is a complaint.
func (b *Browser) listen() {
	b.t.Helper()
	requests, console := chromedp.Events(b.Ctx, network.RequestWillBeSent), chromedp.Console(b.Ctx)
	_, err := chromedp.Call(b.Ctx, network.Enable, network.EnableParams{})
	b.check(err)
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			b.log.request(e.Request.URL)
		}
	}()
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			b.log.complaint(fmt.Sprintf("%s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line))
		}
	}()
}

func (h *browserLog) request(address string) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" {
		h.complaint("requested " + address)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hosts[parsed.Host] = true
}

func (h *browserLog) complaint(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.complaints = append(h.complaints, text)
}

// Quiet fails the test if the browser sent a request to another host than host, or
// complained. It ignores complaints that contain one of the texts.
func (b *Browser) Quiet(host string, but ...string) {
	b.t.Helper()
	b.log.mu.Lock()
	defer b.log.mu.Unlock()
	if len(b.log.hosts) != 1 || !b.log.hosts[host] {
		b.t.Errorf("the browser asked %v, want only %s", b.log.hosts, host)
	}
next:
	for _, complaint := range b.log.complaints {
		for _, part := range but {
			if strings.Contains(complaint, part) {
				continue next
			}
		}
		b.t.Errorf("the browser complains: %s", complaint)
	}
}

// Look sets the size of the window in pixels and the colour scheme, light or dark.
func (b *Browser) Look(width, height int64, scheme string) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
	_, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	b.check(err)
}

// Do runs an action.
func (b *Browser) Do(action chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.check(chromedp.Do(b.Ctx, action))
}

// Click clicks on the element that a CSS selector selects.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Enter presses the key Enter as a keyboard does: if a page handles the key down event,
// it gets no character. The actions of chromedp always send both.
func (b *Browser) Enter() {
	b.t.Helper()
	press := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13}
	release := press
	release.Type, release.Text = input.DispatchKeyEventTypeKeyUp, ""
	for _, event := range []input.DispatchKeyEventParams{press, release} {
		_, err := chromedp.Call(b.Ctx, input.DispatchKeyEvent, event)
		b.check(err)
	}
}

// Until waits until an expression is true. An expression that throws a TypeError,
// because an element is not in the document yet, counts as false. If the document is
// replaced during the evaluation, Until starts again, up to three times.
func (b *Browser) Until(expression string) {
	b.t.Helper()
	predicate := "(() => { try { return Boolean(" + expression + ") } catch (e) { if (e instanceof TypeError) return false; throw e } })()"
	for attempt := 0; ; attempt++ {
		_, err := chromedp.Run(b.Ctx, chromedp.Poll[bool](predicate, chromedp.WithPollingTimeout(untilTimeout)))
		if err == nil {
			return
		}
		if attempt == 3 || !strings.Contains(err.Error(), "Cannot find context") && !strings.Contains(err.Error(), "navigated") {
			b.t.Fatalf("%s never became true: %v\n%s", expression, err, Ask[string](b, "document.body.innerText"))
		}
	}
}

// Ask returns the current value of an expression.
func Ask[T any](b *Browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Picture writes the content of the window to a PNG file.
func (b *Browser) Picture(path string) {
	b.t.Helper()
	b.Until(`document.fonts.status === "loaded"`)
	picture, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
	b.check(err)
	b.check(os.WriteFile(path, picture, 0o644))
}
