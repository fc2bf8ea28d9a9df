package tryrun

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // for image.DecodeConfig, like the other two
	_ "image/jpeg"
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// File is a file of a try, with a preview.
type File struct {
	// Number counts the files from 1, in the order of their names.
	Number int
	Name   string
	Size   int64
	// Text is the beginning of a text, and Cut is true if there is more. Text is "" for
	// other contents.
	Text string
	Cut  bool
	// Picture is the media type of a picture that may be shown, or "".
	Picture string
}

// Limits of previews.
const (
	maxFiles  = 100
	textBytes = 2 << 10
	// pictureBytes and pictureSide limit pictures in bytes and in pixels of a side: a small
	// file may become a huge picture.
	pictureBytes = 4 << 20
	pictureSide  = 5000
	headBytes    = 64 << 10 // enough for the headers of a picture
)

// Files returns the files that a job would store, sorted by name, at most maxFiles of
// them, and the number of all.
func (t *Try) Files() (files []File, count int, err error) {
	names, err := t.fileNames()
	if err != nil {
		return nil, 0, err
	}
	for i, name := range names[:min(len(names), maxFiles)] {
		f, err := readFile(filepath.Join(t.dir, filesName, name))
		if err != nil {
			return nil, 0, fmt.Errorf("reading file %s of a try: %w", name, err)
		}
		f.Number, f.Name = i+1, name
		files = append(files, f)
	}
	return files, len(names), nil
}

// OpenFile opens a file by its number. The caller closes it. ok is false if there is no
// such file.
func (t *Try) OpenFile(number int) (f File, contents *os.File, ok bool, err error) {
	names, err := t.fileNames()
	if err != nil || number < 1 || number > len(names) {
		return f, nil, false, err
	}
	path := filepath.Join(t.dir, filesName, names[number-1])
	if f, err = readFile(path); err == nil {
		contents, err = os.Open(path)
	}
	if err != nil {
		return f, nil, false, fmt.Errorf("reading a file of a try: %w", err)
	}
	f.Number, f.Name = number, names[number-1]
	return f, contents, true, nil
}

func (t *Try) fileNames() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(t.dir, filesName)) // sorted
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the files of a try: %w", err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), csvtable.ManifestSuffix) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// readFile reads the beginning of a file for its preview.
func readFile(path string) (f File, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer file.Close() // only read
	info, err := file.Stat()
	if err != nil {
		return f, err
	}
	head, err := io.ReadAll(io.LimitReader(file, headBytes))
	if err != nil {
		return f, err
	}
	f.Size = info.Size()
	if f.Picture = pictureType(head, f.Size); f.Picture == "" {
		f.Text, f.Cut = textOf(head)
		f.Cut = f.Cut || f.Text != "" && f.Size > int64(len(head))
	}
	return f, nil
}

// textOf returns the beginning of a text, or "" if the contents are no text.
func textOf(head []byte) (text string, cut bool) {
	if len(head) > textBytes {
		head, cut = head[:textBytes], true
		for n := 0; n < utf8.UTFMax && !utf8.Valid(head); n++ { // the last character may be cut
			head = head[:len(head)-1]
		}
	}
	isBinary := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }
	if !utf8.Valid(head) || bytes.ContainsFunc(head, isBinary) {
		return "", false
	}
	return string(head), cut
}

// pictureType returns the media type of a picture that a browser shows without running
// anything: PNG, JPEG, GIF and WebP, by its first bytes. SVG is a document and no such
// picture. pictureType returns "" for other contents, and for pictures that are too large.
func pictureType(head []byte, size int64) string {
	if size > pictureBytes {
		return ""
	}
	if w, h, ok := sizeOfWebP(head); ok {
		if w > pictureSide || h > pictureSide {
			return ""
		}
		return "image/webp"
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(head))
	if err != nil || config.Width > pictureSide || config.Height > pictureSide {
		return ""
	}
	return "image/" + format
}

// sizeOfWebP returns the size of a picture in WebP (RFC 9649).
func sizeOfWebP(head []byte) (width, height int, ok bool) {
	if len(head) < 30 || string(head[:4]) != "RIFF" || string(head[8:12]) != "WEBP" {
		return 0, 0, false
	}
	data := head[20:]
	switch string(head[12:16]) {
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(data[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(data[8:]) & 0x3fff), true
	case "VP8L":
		bits := binary.LittleEndian.Uint32(data[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, true
	case "VP8X":
		number := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
		return number(data[4:]) + 1, number(data[7:]) + 1, true
	}
	return 0, 0, false
}
