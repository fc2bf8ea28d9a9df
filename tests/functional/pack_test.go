package functional

import (
	"archive/zip"
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// packed is the body in its character set and its wrappers.
func (a response) packed() ([]byte, error) {
	body := []byte(a.body)
	if a.charset != "" {
		charset, err := htmlindex.Get(a.charset)
		if err != nil {
			charset, err = ianaindex.IANA.Encoding(a.charset)
		}
		if err != nil {
			return nil, err
		}
		if body, err = charset.NewEncoder().Bytes(body); err != nil {
			return nil, err
		}
	}
	body, err := packed(a.pack, body)
	return bytes.Repeat(body, a.repeat), err
}

// fileInZip is the line before a file of a zip: a case is a txtar archive itself, so its
// lines of this kind have other signs.
var fileInZip = regexp.MustCompile(`(?m)^\+\+ (.*) \+\+$`)

// packed puts a body into wrappers, the outermost first.
func packed(wrappers []string, body []byte) ([]byte, error) {
	if at := slices.Index(wrappers, "zip"); at >= 0 {
		var files []zipFile
		for _, file := range txtar.Parse(fileInZip.ReplaceAll(body, []byte("-- $1 --"))).Files {
			inner, err := packed(wrappers[at+1:], file.Data)
			if err != nil {
				return nil, err
			}
			files = append(files, zipFile{file.Name, inner})
		}
		archive, err := zipped(files)
		if err != nil {
			return nil, err
		}
		body, wrappers = archive, wrappers[:at]
	}
	for _, name := range slices.Backward(wrappers) {
		switch name {
		case "gzip":
			body = compressed(body)
		case "zstd":
			w, err := zstd.NewWriter(nil)
			if err != nil {
				return nil, err
			}
			body = w.EncodeAll(body, nil)
		default:
			return nil, fmt.Errorf("unknown wrapper %q", name)
		}
	}
	return body, nil
}

// zipFile is a file of an archive.
type zipFile struct {
	name string
	body []byte
}

// zipped is an archive of files.
func zipped(files []zipFile) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, file := range files {
		f, err := w.Create(file.name)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(file.body); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
