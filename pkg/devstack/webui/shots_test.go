package webui

import (
	"fmt"
	"os"
	"path/filepath"
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
			b.Look(width, 900, scheme)
			before()
			b.Until(`document.fonts.status === "loaded"`)
			if highest > 900 {
				b.Look(width, min(max(ask[int64](b, "document.documentElement.scrollHeight"), 900), highest), scheme)
			}
			b.Picture(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
		}
	}
	b.Look(1440, 900, "light")
}
