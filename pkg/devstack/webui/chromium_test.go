package webui

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/keboola/configurable-extractor/internal/chromium"
	"github.com/keboola/configurable-extractor/internal/golden"
)

// browser is a real one that looks at the page of a platform.
type browser struct {
	*platform
	*chromium.Browser
	// server is the address without a path, session the one that the token opens.
	server  string
	session session
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
	return &browser{platform: p, Browser: chromium.New(p), server: server.URL, session: session}
}

// quiet is chromium.Browser.Quiet for the platform.
func (b *browser) quiet(but ...string) {
	b.Helper()
	b.Quiet(strings.TrimPrefix(b.server, "http://"), but...)
}

// visit goes to a page of the session.
func (b *browser) visit(path string) {
	b.Helper()
	b.Do(chromedp.Navigate(b.server + b.session.path + path))
}

func ask[T any](b *browser, expression string) T {
	b.Helper()
	return chromium.Ask[T](b.Browser, expression)
}

func (b *browser) picture(name string) {
	b.Helper()
	if golden.Update(b.T) {
		b.Picture(filepath.Join(imageDirectory, name))
	}
}
