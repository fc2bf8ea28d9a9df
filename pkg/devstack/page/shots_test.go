package page

import (
	"fmt"
	"os"
	"path/filepath"
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
			b.Look(width, 900, scheme)
			b.Picture(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
		}
	}
	b.Look(1440, 900, "light")
}
