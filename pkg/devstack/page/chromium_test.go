package page

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/keboola/configurable-extractor/internal/chromium"
	"github.com/keboola/configurable-extractor/internal/golden"
)

// browser is a real one that looks at the page of a platform.
type browser struct {
	*platform
	ctx context.Context
	// server is the address without a path, session the one that the token opens.
	server  string
	session session

	mu sync.Mutex
	// hosts are those that it asked.
	hosts map[string]bool
	// complaints are what it said on its console.
	complaints []string
}

// newBrowser starts one, or skips the test when the machine has none.
func newBrowser(p *platform) *browser {
	p.Helper()
	// Streams of pages that were left take beats, so these never end.
	page, session := p.open(func(time.Duration) (<-chan time.Time, func()) { return ticker(20 * time.Millisecond) })
	server := httptest.NewServer(page)
	p.Cleanup(func() {
		close(p.done)
		server.Close()
	})
	ctx := chromium.Start(p)
	b := &browser{platform: p, ctx: ctx, server: server.URL, session: session, hosts: map[string]bool{}}
	b.listen()
	b.look(1280, 800, "light")
	if _, err := chromedp.Call(ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"}); err != nil {
		p.Fatal(err)
	}
	return b
}

// listen notes what the browser requests and complains about. Content that the
// policy refuses is a complaint.
func (b *browser) listen() {
	b.Helper()
	requests, console := chromedp.Events(b.ctx, network.RequestWillBeSent), chromedp.Console(b.ctx)
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			address, parseErr := url.Parse(e.Request.URL)
			b.mu.Lock()
			if parseErr != nil || address.Scheme != "http" {
				b.complaints = append(b.complaints, "requested "+e.Request.URL)
			} else {
				b.hosts[address.Host] = true
			}
			b.mu.Unlock()
		}
	}()
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.complaints = append(b.complaints, fmt.Sprintf("%s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line))
			b.mu.Unlock()
		}
	}()
}

// look sets the size of the window and the colour scheme.
func (b *browser) look(width, height int64, scheme string) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, height))
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	b.must(err)
}

func (b *browser) do(action chromedp.Action[chromedp.Void]) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, action))
}

// visit goes to a page of the session.
func (b *browser) visit(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.server + b.session.path + path))
}

// until waits for an expression to be true. It asks again when the document was
// exchanged while it asked.
func (b *browser) until(expression string) {
	b.Helper()
	for attempt := 0; ; attempt++ {
		_, err := chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(10*time.Second)))
		if err == nil {
			return
		}
		if attempt == 3 || !strings.Contains(err.Error(), "Cannot find context") && !strings.Contains(err.Error(), "navigated") {
			b.Fatalf("%s never became true: %v\n%s", expression, err, ask[string](b, "document.body.innerText"))
		}
	}
}

// ask is what an expression is now.
func ask[T any](b *browser, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

func (b *browser) picture(name string) {
	b.Helper()
	if !golden.Update(b.T) {
		return
	}
	b.until(`document.fonts.status === "loaded"`)
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	b.must(err)
	b.must(os.MkdirAll(imageDirectory, 0o755))
	b.must(os.WriteFile(filepath.Join(imageDirectory, name), picture, 0o644))
}
