package main

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

// settingsFile is the file with settings for the commands config and job. A run does
// not read it.
const settingsFile = ".env"

// settings are those of the environment, and of a file for what the environment lacks.
type settings struct {
	getenv func(string) string
	file   string
	values map[string]string
	shared bool // other users can read the file
}

// mostSettings is how many bytes a file of settings may have.
const mostSettings = 1 << 20

// openSettings reads the file, if there is one.
func openSettings(file string, getenv func(string) string) (*settings, error) {
	s := &settings{getenv: getenv, file: file}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	var text []byte
	switch {
	case err != nil:
	case !info.Mode().IsRegular(): // reading it may never end
		err = errors.New("it is not a regular file")
	case info.Size() > mostSettings:
		err = fmt.Errorf("it has %d bytes, expected at most %d", info.Size(), mostSettings)
	default:
		s.shared = runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
		text, err = os.ReadFile(file)
	}
	if err == nil {
		s.values, err = parseSettings(string(text))
	}
	if err != nil {
		return nil, failure.Userf("cannot read the settings in %s: %w", file, err)
	}
	return s, nil
}

// get is the value of a setting, "" for none.
func (s *settings) get(name string) string {
	value, _ := s.lookup(name)
	return value
}

// lookup is get that also returns the file of the value, "" for the environment.
func (s *settings) lookup(name string) (value, file string) {
	if value := s.getenv(name); value != "" {
		return value, ""
	}
	return s.values[name], s.file
}

// setting matches a line NAME=value.
var setting = regexp.MustCompile(`^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$`)

// parseSettings reads lines of the form NAME=value. Empty lines and lines that begin
// with # are skipped. A value may be in single or double quotes; otherwise a # after a
// blank begins a comment. Nothing in a value is replaced. The text is not quoted in
// errors, because it contains secrets.
func parseSettings(text string) (map[string]string, error) {
	values := map[string]string{}
	for i, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		match := setting.FindStringSubmatch(line)
		if match == nil {
			return nil, fmt.Errorf("line %d is not NAME=value", i+1)
		}
		value, ok := unquoted(match[2])
		if !ok {
			return nil, fmt.Errorf("line %d: the value of %s has a quote without its counterpart, or text after it", i+1, match[1])
		}
		values[match[1]] = value
	}
	return values, nil
}

// unquoted is a value without its quotes or its comment.
func unquoted(text string) (value string, ok bool) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		if at := strings.Index(" "+text, " #"); at >= 0 {
			text = text[:max(0, at-1)]
		}
		return strings.TrimSpace(text), true
	}
	value, rest, ok := strings.Cut(text[1:], text[:1])
	rest = strings.TrimSpace(rest)
	return value, ok && (rest == "" || rest[0] == '#')
}
