// Package chromium starts and controls a browser for tests of web pages.
package chromium

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// testTimeout is the maximum time that a test may use its browser.
const testTimeout = 60 * time.Second

// Start starts a browser that runs until the end of the test, and returns its context.
// It skips the test if the machine has no browser.
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
	// The path of t.TempDir contains the name of the test. The browser exits if the path
	// of its socket is too long.
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // ignore the error: the browser may still write to dir
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Env("TMPDIR="+dir), chromedp.Flag("headless", "new"), chromedp.Flag("hide-scrollbars", true))...)
	ctx, leave := chromedp.NewContext(allocator)
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	t.Cleanup(func() {
		cancel()
		leave()
		stop()
	})
	return ctx
}
