// Package dotenv reads and extends files with environment variables. Each line is
// NAME=value, optionally after `export`. A value in single or double quotes may have more
// than one line. In a value without quotes, a # after a blank begins a comment. Values
// are not expanded.
package dotenv

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Name is the name of the file in the working directory.
const Name = ".env"

// File holds the values of a file at the time of Open.
type File struct {
	// Path is the name of the file, even if the file does not exist.
	Path string
	// Shared is true if other users of the computer can read the file.
	Shared bool
	Values map[string]string
}

// maxSize is the maximum size of a file, in bytes.
const maxSize = 1 << 20

// Open reads a file. If the file does not exist, it returns a File without values. Errors
// are user errors and do not quote the file, because it contains secrets.
func Open(path string) (*File, error) {
	f := &File{Path: path}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	var text []byte
	switch {
	case err != nil:
	case !info.Mode().IsRegular(): // reading a pipe or a device may never end
		err = errors.New("it is not a regular file")
	case info.Size() > maxSize:
		err = fmt.Errorf("it has %d bytes, expected at most %d", info.Size(), maxSize)
	default:
		f.Shared = runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
		text, err = os.ReadFile(path)
	}
	if err == nil {
		f.Values, err = parse(string(text))
	}
	if err != nil {
		return nil, failure.Userf("cannot read the settings in %s: %w", path, err)
	}
	return f, nil
}

// assignment matches the part of a line before the value.
var assignment = regexp.MustCompile(`^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*`)

// parse parses the text of a file. It skips empty lines and lines that begin with #.
func parse(text string) (map[string]string, error) {
	values := map[string]string{}
	text = strings.TrimPrefix(text, "\ufeff")
	for rest := text; rest != ""; {
		line, _, _ := strings.Cut(rest, "\n")
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			rest = strings.TrimPrefix(rest[len(line):], "\n")
			continue
		}
		number := func() int { return strings.Count(text[:len(text)-len(rest)], "\n") + 1 }
		rest = strings.TrimLeft(rest, " \t\r\v\f")
		match := assignment.FindStringSubmatch(rest)
		if match == nil {
			return nil, fmt.Errorf("line %d is not NAME=value", number())
		}
		value, after, ok := valueAt(rest[len(match[0]):])
		if !ok {
			return nil, fmt.Errorf("line %d: the value of %s has a quote without its counterpart, or text after it", number(), match[1])
		}
		values[match[1]], rest = value, after
	}
	return values, nil
}

// valueAt splits a text into the value at its beginning, without quotes and comment, and
// the lines after the value. It returns false if a quote is not closed or if text follows
// the closing quote.
func valueAt(text string) (value, after string, ok bool) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		line, after, _ := strings.Cut(text, "\n")
		if at := strings.Index(" "+line, " #"); at >= 0 {
			line = line[:max(0, at-1)]
		}
		return strings.TrimSpace(line), after, true
	}
	value, rest, ok := strings.Cut(text[1:], text[:1])
	line, after, _ := strings.Cut(rest, "\n")
	line = strings.TrimSpace(line)
	return value, after, ok && (line == "" || line[0] == '#')
}

// Append adds the values of names to a file, in this order. If it creates the file, only the owner can read the file.
// It returns a user error if the file already has one of the names, or if a value has
// both kinds of quotes.
func Append(path string, names []string, values map[string]string) error {
	file, err := Open(path)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, name := range names {
		if _, there := file.Values[name]; there {
			return failure.Userf("%s has a value for %s already", path, name)
		}
		quote, ok := quoteFor(values[name])
		if !ok {
			return failure.Userf("the value for %s cannot be written to %s: it has single and double quotes", name, path)
		}
		lines.WriteString(name + "=" + quote + values[name] + quote + "\n")
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return failure.Userf("cannot write the secrets: %w", err)
	}
	text := lines.String()
	if lacksNewline(f) {
		text = "\n" + text
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return failure.Userf("cannot write the secrets: %w", err)
	}
	return nil
}

// Fits reports whether Append accepts a value. The value must not have both single and
// double quotes.
func Fits(value string) bool {
	_, ok := quoteFor(value)
	return ok
}

// quoteFor returns the quote that a value does not contain.
func quoteFor(value string) (quote string, ok bool) {
	for _, quote := range []string{"'", `"`} {
		if !strings.Contains(value, quote) {
			return quote, true
		}
	}
	return "", false
}

// lacksNewline reports whether the last line of a file has no line feed.
func lacksNewline(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}
