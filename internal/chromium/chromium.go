// Package chromium starts the browser of tests that look at a page.
package chromium

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// limit is how long one test may use its browser.
const limit = 60 * time.Second

// Start starts a browser that ends with the test, and returns its context. The test
// is skipped when the machine has none.
func Start(t testing.TB) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("SKIPPED: there is no chromium on this machine")
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("headless", "new"), chromedp.Flag("hide-scrollbars", true))...)
	ctx, leave := chromedp.NewContext(allocator)
	ctx, cancel := context.WithTimeout(ctx, limit)
	t.Cleanup(func() {
		cancel()
		leave()
		stop()
	})
	return ctx
}
