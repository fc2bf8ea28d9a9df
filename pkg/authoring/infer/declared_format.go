package infer

import (
	"fmt"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"
)

// mediaTypes maps media types to formats.
var mediaTypes = map[string]string{
	"application/json":          jsonFormat,
	"application/x-ndjson":      linesFormat,
	"application/ndjson":        linesFormat,
	"application/jsonl":         linesFormat,
	"application/x-jsonl":       linesFormat,
	"application/jsonlines":     linesFormat,
	"application/x-jsonlines":   linesFormat,
	"text/csv":                  csvFormat,
	"application/csv":           csvFormat,
	"text/tab-separated-values": csvFormat,
	"application/xml":           xmlFormat,
	"text/xml":                  xmlFormat,
}

// extensions maps file extensions to formats.
var extensions = map[string]string{
	".json":   jsonFormat,
	".jsonl":  linesFormat,
	".ndjson": linesFormat,
	".csv":    csvFormat,
	".tsv":    csvFormat,
	".xml":    xmlFormat,
}

// packedExtensions are the extensions of compressed files.
var packedExtensions = []string{".gz", ".gzip", ".zst", ".zip"}

// extension returns the extension of a file name in lower case: own without the
// extensions of compression, whole with them.
func extension(name string) (own, whole string) {
	name = strings.ToLower(path.Base(name))
	own = path.Ext(name)
	whole = own
	for slices.Contains(packedExtensions, own) {
		name = strings.TrimSuffix(name, own)
		own = path.Ext(name)
		whole = own + whole
	}
	return own, whole
}

// declaredFormat returns the format that the Content-Type or a file name declares, and by
// as the evidence. It returns "" if neither declares a format.
func (r *reader) declaredFormat(file string, u *url.URL) (format, by string) {
	if format = mediaTypes[r.media]; format != "" {
		return format, "the Content-Type is " + r.media
	}
	if strings.HasSuffix(r.media, "+xml") {
		return xmlFormat, "the Content-Type is " + r.media
	}
	_, disposition, err := mime.ParseMediaType(r.x.ResponseHeader.Get("Content-Disposition"))
	if err != nil {
		disposition = nil
	}
	for _, name := range []string{file, disposition["filename"], u.Path} {
		own, _ := extension(name)
		if format = extensions[own]; format != "" {
			return format, fmt.Sprintf("a file name ends with %s", own)
		}
	}
	return "", ""
}
