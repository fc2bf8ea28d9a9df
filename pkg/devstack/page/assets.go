package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"time"
)

//go:embed assets
var assetFiles embed.FS

// assets are the style sheet, the script and the icon, under names that change with
// their contents.
type assets struct {
	byName map[string][]byte
	// Style, Script and Icon are their paths.
	Style, Script, Icon string
}

func newAssets() assets {
	a := assets{byName: map[string][]byte{}}
	a.Style, a.Script, a.Icon = a.add("style.css"), a.add("page.js"), a.add("icon.svg")
	return a
}

func (a assets) add(name string) string {
	content, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // cannot happen: it is compiled in
	}
	sum := sha256.Sum256(content)
	hashed := hex.EncodeToString(sum[:6]) + "-" + name
	a.byName[hashed] = content
	return "/assets/" + hashed
}

// ServeHTTP serves an asset, which a browser may keep forever.
func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, found := a.byName[name]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
