package page

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// shots writes pictures of what the browser shows, wide and as on a phone, light and dark,
// to the directory that PAGE_SHOTS names; nothing without it.
func (b *browser) shots(name string) {
	b.Helper()
	dir := os.Getenv("PAGE_SHOTS")
	if dir == "" {
		return
	}
	for _, width := range []int64{1440, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(width, 900, scheme)
			b.until(`document.fonts.status === "loaded"`)
			picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			b.must(err)
			b.must(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o644))
		}
	}
	b.look(1440, 900, "light")
}
