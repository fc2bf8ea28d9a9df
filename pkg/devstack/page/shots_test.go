package page

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// shots writes pictures of what the browser shows, wide and as on a phone, light and dark,
// as NAME-WIDTH-SCHEME.png to the directory that PAGE_SHOTS names, for someone to look at;
// nothing without it.
func (b *browser) shots(name string) {
	b.Helper()
	b.shoot(name, 900, func() {})
}

// shotsOf does the same for the whole of a page that it visits.
func (b *browser) shotsOf(name, path string) {
	b.Helper()
	b.shoot(name, 4000, func() { b.visit(path) })
}

func (b *browser) shoot(name string, highest int64, before func()) {
	b.Helper()
	dir := os.Getenv("PAGE_SHOTS")
	if dir == "" {
		return
	}
	for _, width := range []int64{1440, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(width, 900, scheme)
			before()
			b.until(`document.fonts.status === "loaded"`)
			if highest > 900 {
				b.look(width, min(max(ask[int64](b, "document.documentElement.scrollHeight"), 900), highest), scheme)
			}
			picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			b.must(err)
			b.must(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o644))
		}
	}
	b.look(1440, 900, "light")
}
