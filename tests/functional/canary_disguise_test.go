package functional

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// disguise is a way in which an API gives a text back that its reader can undo.
type disguise struct {
	name string
	of   func(text string) ([]byte, error)
	// around says that it keeps any bytes, so that another one can be inside.
	around bool
}

// echoDisguised gives everything that a request carries back in a disguise.
func echoDisguised(code int, of func(text string) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := of(echoOf(r))
		if err != nil {
			body = []byte(err.Error())
		}
		w.WriteHeader(code)
		_, _ = w.Write(body) // to somebody who may have gone
	}
}

// disguisedFaults are answers that give the secrets of the request back in a disguise, and
// in two of them, one inside the other.
func disguisedFaults() []canaryFault {
	var all []canaryFault
	disguises := disguises()
	for i, d := range disguises {
		all = append(all, canaryFault{"200 in " + d.name, echoDisguised(200, d.of), nil}, canaryFault{"400 in " + d.name, echoDisguised(400, d.of), nil})
		if d.around {
			inner := disguises[(i*7+3)%len(disguises)]
			all = append(all, canaryFault{"200 in " + inner.name + " in " + d.name, echoDisguised(200, func(text string) ([]byte, error) {
				body, err := inner.of(text)
				if err != nil {
					return nil, err
				}
				return d.of(string(body))
			}), nil})
		}
	}
	return all
}

// disguises are all of them.
func disguises() []disguise {
	packed := func(pack func(io.Writer) (io.WriteCloser, error)) func(string) ([]byte, error) {
		return func(text string) ([]byte, error) {
			var b bytes.Buffer
			w, err := pack(&b)
			if err == nil {
				_, err = io.WriteString(w, text)
			}
			if err == nil {
				err = w.Close()
			}
			return b.Bytes(), err
		}
	}
	in := func(charset encoding.Encoding) func(string) ([]byte, error) {
		return func(text string) ([]byte, error) {
			return encoding.ReplaceUnsupported(charset.NewEncoder()).Bytes([]byte(text))
		}
	}
	spelled := func(spell func(string) string) func(string) ([]byte, error) {
		return func(text string) ([]byte, error) { return []byte(spell(text)), nil }
	}
	return []disguise{
		{"gzip", packed(func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }), true},
		{"zlib", packed(func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil }), true},
		{"deflate", packed(func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) }), true},
		{"zstd", packed(func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }), true},
		{"zip", inArchive, true},
		{"UTF-16LE", in(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)), false},
		{"UTF-16BE", in(unicode.UTF16(unicode.BigEndian, unicode.UseBOM)), false},
		{"UTF-32LE", in(utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)), false},
		{"UTF-32BE", in(utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)), false},
		{"IBM037", in(charmap.CodePage037), false},
		{"base64", spelled(func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }), true},
		{"base64 in lines", spelled(func(text string) string {
			return strings.Join(strings.SplitAfter(base64.RawURLEncoding.EncodeToString([]byte(text)), "Y"), "\r\n")
		}), true},
		{"base64 beside others", spelled(func(text string) string {
			return `{"a":"` + base64.StdEncoding.EncodeToString([]byte("{"+text+"}")) + `"}`
		}), false},
		{"XML in UTF-16", func(text string) ([]byte, error) {
			var b bytes.Buffer
			b.WriteString(`<?xml version="1.0" encoding="UTF-16"?><a>`)
			if err := xml.EscapeText(&b, []byte(text)); err != nil {
				return nil, err
			}
			return in(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM))(b.String() + "</a>")
		}, false},
		{"CSV", func(text string) ([]byte, error) {
			var b bytes.Buffer
			w := csv.NewWriter(&b)
			err := w.WriteAll([][]string{{"id", "said"}, {"1", text}})
			return b.Bytes(), err
		}, false},
		{"JSON escapes", spelled(func(text string) string { return `[{"id":"` + each(`\u%04x`, text) + `"}]` }), false},
		{"percent-encoding", spelled(func(text string) string { return each("%%%02X", text) }), false},
		{"HTML entities", spelled(func(text string) string {
			var b strings.Builder
			for _, r := range text {
				fmt.Fprintf(&b, "&#%d;", r)
			}
			return b.String()
		}), false},
		{"hexadecimal", spelled(func(text string) string { return each("%02x", text) }), false},
	}
}

func inArchive(text string) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("said.csv")
	if err == nil {
		_, err = io.WriteString(f, text)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// readingsOf are the texts that a reader may see in a body.
func readingsOf(body []byte, depth int) []string {
	text := string(body)
	all := []string{text, strings.ReplaceAll(text, `""`, `"`)}
	if decoded, err := charmap.CodePage037.NewDecoder().Bytes(body); err == nil {
		all = append(all, string(decoded))
	}
	if depth == 0 {
		return all
	}
	for _, inside := range unpacked(body) {
		if len(inside) > 0 {
			all = append(all, readingsOf(inside, depth-1)...)
		}
	}
	return all
}

// unpacked is what comes out of a body, as far as it goes, by each way to unpack it.
func unpacked(body []byte) (all [][]byte) {
	readers := []func() (io.Reader, error){
		func() (io.Reader, error) { return gzip.NewReader(bytes.NewReader(body)) },
		func() (io.Reader, error) { return zlib.NewReader(bytes.NewReader(body)) },
		func() (io.Reader, error) { return flate.NewReader(bytes.NewReader(body)), nil },
		func() (io.Reader, error) { return zstd.NewReader(bytes.NewReader(body)) },
		func() (io.Reader, error) {
			alphabet := strings.NewReplacer("-", "+", "_", "/", "=", "", "\r", "", "\n", "", " ", "")
			return base64.NewDecoder(base64.RawStdEncoding, strings.NewReader(alphabet.Replace(string(body)))), nil
		},
	}
	if decoded := withoutZeros.Replace(string(body)); decoded != string(body) {
		all = append(all, []byte(decoded))
	}
	if decoded, err := charmap.CodePage037.NewDecoder().Bytes(body); err == nil && !bytes.Equal(decoded, body) && mostlyPlain(decoded) {
		all = append(all, decoded)
	}
	for _, read := range readers {
		if r, err := read(); err == nil {
			inside, _ := io.ReadAll(r) // as far as it goes
			all = append(all, inside)
		}
	}
	if archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body))); err == nil {
		for _, f := range archive.File {
			if r, err := f.Open(); err == nil {
				inside, _ := io.ReadAll(r)
				all = append(all, []byte(f.Name), inside)
			}
		}
	}
	return all
}

func mostlyPlain(text []byte) bool {
	plain := 0
	for _, b := range text {
		if ' ' <= b && b <= '~' || b == '\n' {
			plain++
		}
	}
	return plain*10 > len(text)*9
}
