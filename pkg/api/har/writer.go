package har

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// writer writes one file. Entries go to a temporary file in the same directory. close
// completes and renames that file.
type writer struct {
	path    string
	file    *os.File
	buffer  *bufio.Writer
	entries int
	// notes is a temporary file with the findings of pages. It is nil before the first
	// finding.
	notes       *os.File
	notesBuffer *bufio.Writer
}

// newWriter starts a file. An existing file stays until close.
func newWriter(path, creator, version string, page runPage) (*writer, error) {
	// Without this check only close would fail, after the whole run.
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errors.New("it is a directory, the name of a file is expected")
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, err
	}
	w := &writer{path: path, file: file, buffer: bufio.NewWriter(file)}
	head, err := encode(map[string]any{"creator": map[string]string{"name": creator, "version": version}, "pages": []runPage{page}, "version": formatVersion})
	if err == nil {
		_, err = w.buffer.WriteString(`{"log":` + string(bytes.TrimSuffix(head, []byte("}"))) + `,"entries":[`)
	}
	if err != nil {
		return nil, errors.Join(err, w.discard())
	}
	return w, nil
}

const (
	// bodyStart begins the member response.content.text, which follows other members.
	bodyStart = `,"text":"`
	// entryEnd closes the content, the response and the entry.
	entryEnd = "}}}"
)

// write appends an entry. body writes the contents of the string in Content.Text. Then
// finish returns the other members of Content.
func (w *writer) write(e Entry, body func(io.Writer) error, finish func() map[string]any) error {
	text, err := encode(e)
	if err != nil {
		return err
	}
	separator := ",\n"
	if w.entries == 0 {
		separator = "\n"
	}
	w.entries++
	if _, err := w.buffer.WriteString(separator + string(bytes.TrimSuffix(text, []byte(entryEnd))) + bodyStart); err != nil {
		return err
	}
	if err := body(w.buffer); err != nil {
		return err
	}
	rest, err := encode(finish())
	if err != nil {
		return err
	}
	end := `"`
	if members := strings.Trim(string(rest), "{}"); members != "" {
		end += "," + members
	}
	_, err = w.buffer.WriteString(end + entryEnd)
	return err
}

// addFindings stores findings that end writes after the entries.
func (w *writer) addFindings(found PageFindings) error {
	separator := ",\n"
	if w.notes == nil {
		file, err := os.CreateTemp(filepath.Dir(w.path), "."+filepath.Base(w.path)+"-*")
		if err != nil {
			return err
		}
		w.notes, w.notesBuffer, separator = file, bufio.NewWriter(file), "\n"
	}
	text, err := encode(found)
	if err == nil {
		_, err = w.notesBuffer.WriteString(separator + string(text))
	}
	return err
}

// end writes the end of the file, with the findings.
func (w *writer) end() error {
	if w.notes != nil {
		if err := w.notesBuffer.Flush(); err != nil {
			return err
		}
		if _, err := w.notes.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := w.buffer.WriteString("\n],\"_readings\":["); err != nil {
			return err
		}
		if _, err := io.Copy(w.buffer, w.notes); err != nil {
			return err
		}
	}
	_, err := w.buffer.WriteString("\n]}}\n")
	return err
}

func (w *writer) dropNotes() error {
	if w.notes == nil {
		return nil
	}
	err := errors.Join(w.notes.Close(), os.Remove(w.notes.Name()))
	w.notes = nil
	return err
}

func (w *writer) close() error {
	err := w.end()
	if err == nil {
		err = w.dropNotes()
	}
	if err == nil {
		err = w.buffer.Flush()
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		return errors.Join(err, w.discard())
	}
	if err = w.file.Close(); err == nil {
		err = os.Rename(w.file.Name(), w.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(w.file.Name()))
	}
	return nil
}

func (w *writer) discard() error {
	return errors.Join(w.dropNotes(), w.file.Close(), os.Remove(w.file.Name()))
}

// encode returns the JSON text of a value, without HTML escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
