// Package files writes the files of a run: the bodies of responses in the format file, each
// with a manifest beside it, in the directory that becomes out/files.
//
// A name comes from a response or from the configuration, and may be any text. SafeName
// makes a name of it that stays in its directory. No two files have the same name. The
// package interprets no contents, and does not know jobs and requests.
package files

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

const (
	// MaxName is the maximum length of a name in bytes.
	MaxName = 200
	// unnamed is the name of a file if nothing is left of its name.
	unnamed = "file"
	// maxExtension is the maximum length, in bytes, of an extension that survives if the
	// name is too long.
	maxExtension = 20
	// dataSuffix is appended to names that would be names of manifests.
	dataSuffix = ".data"
)

// SafeName returns a name for a file that is a single path element, on every system: it
// drops directories, control characters, leading dots, and dots and blanks at the end,
// and replaces characters that Windows does not allow. The name has at most MaxName
// bytes, and is not the name of a manifest.
func SafeName(text string) string {
	text = strings.TrimRight(text, separators)
	text = text[strings.LastIndexAny(text, separators)+1:]
	return safeElement(text)
}

// SafeText returns the same as SafeName for a text without directories: a slash in it, as in
// the invoice number 2024/17, becomes an underscore.
func SafeText(text string) string {
	return safeElement(strings.Map(func(r rune) rune {
		if strings.ContainsRune(separators, r) {
			return '_'
		}
		return r
	}, text))
}

// separators separate directories on some system.
const separators = `/\`

func safeElement(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		}
		return r
	}, norm.NFC.String(strings.ToValidUTF8(name, "\uFFFD")))
	name = trimEnd(strings.TrimLeftFunc(name, isDotOrSpace))
	if name == "" {
		name = unnamed
	}
	if !filepath.IsLocal(name) { // NUL, COM1 and such on Windows
		name = "_" + name
	}
	if isManifest(name) {
		name = withEnding(name, dataSuffix)
	}
	stem, extension := splitName(name)
	return withEnding(stem, extension)
}

func isDotOrSpace(r rune) bool { return r == '.' || unicode.IsSpace(r) }

func trimEnd(name string) string { return strings.TrimRightFunc(name, isDotOrSpace) }

// isManifest reports whether a name is the name of a manifest, also on a system that
// ignores the case of names.
func isManifest(name string) bool {
	at := len(name) - len(csvtable.ManifestSuffix)
	return at >= 0 && strings.EqualFold(name[at:], csvtable.ManifestSuffix)
}

// splitName splits a name into stem and extension. Both extensions of an archive such as
// a.tar.gz belong together. A long extension belongs to the stem.
func splitName(name string) (stem, extension string) {
	extension = filepath.Ext(name)
	stem = strings.TrimSuffix(name, extension)
	if inner := filepath.Ext(stem); strings.EqualFold(inner, ".tar") {
		stem, extension = strings.TrimSuffix(stem, inner), inner+extension
	}
	if stem == "" || len(extension) > maxExtension {
		return name, ""
	}
	return stem, extension
}

// withEnding returns a name with an ending. It shortens the stem to fit the ending into
// MaxName.
func withEnding(stem, ending string) string {
	if most := MaxName - len(ending); len(stem) > most {
		for most > 0 && !utf8.RuneStart(stem[most]) {
			most--
		}
		if stem = trimEnd(stem[:most]); isManifest(stem + ending) {
			stem = strings.TrimRight(stem, ".") + "_"
		}
	}
	return stem + ending
}

// numbered returns the name of the n-th file with a name, counted from 1.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	stem, extension := splitName(name)
	return withEnding(stem, "-"+strconv.Itoa(n)+extension)
}
