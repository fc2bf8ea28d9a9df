package webui

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

// assets holds the style sheets, the scripts and the icon. Their URLs contain a hash of
// the content, so browsers may cache them forever.
type assets struct {
	contents map[string][]byte // contents by hashed name
	paths    map[string]string // URL paths by file name
}

func newAssets() assets {
	a := assets{contents: map[string][]byte{}, paths: map[string]string{}}
	files, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic(err) // cannot happen: the files are compiled in
	}
	for _, file := range files {
		a.add(file.Name())
	}
	return a
}

func (a assets) add(name string) {
	content, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // cannot happen: the file is compiled in
	}
	sum := sha256.Sum256(content)
	hashed := hex.EncodeToString(sum[:6]) + "-" + name
	a.contents[hashed] = content
	a.paths[name] = "/assets/" + hashed
}

// path returns the URL path of a file, such as style.css. It panics if there is no such
// file, because only templates name files.
func (a assets) path(name string) string {
	path, found := a.paths[name]
	if !found {
		panic("page: no asset " + name)
	}
	return path
}

// ServeHTTP serves an asset and lets browsers cache it forever.
func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, found := a.contents[name]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
