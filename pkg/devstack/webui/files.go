package webui

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/devstack/guard"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
)

// shownFiles is the number of files on a page.
const shownFiles = 200

// filesPage lists the newest files, of one job if Job is set.
type filesPage struct {
	Job   string
	Files []store.File
	// More is true if there are older files.
	More bool
}

func (s *site) fileOf(r *http.Request) (store.File, error) { return s.Store.File(r.PathValue("id")) }

func (s *site) files(w http.ResponseWriter, r *http.Request) error {
	page := filesPage{Job: r.URL.Query().Get("job")}
	err := s.Store.Files(func(f store.File) bool {
		switch {
		case page.Job != "" && f.RunID != page.Job:
		case len(page.Files) == shownFiles:
			page.More = true
		default:
			page.Files = append(page.Files, f)
		}
		return !page.More
	})
	if err != nil {
		return err
	}
	return s.show(w, http.StatusOK, "files", layout{Title: "Files", Section: "files", Body: page})
}

// downloadFile sends the contents of a file.
func (s *site) downloadFile(w http.ResponseWriter, r *http.Request, f store.File) error {
	f, contents, err := s.Store.OpenFile(f.ID)
	if err != nil {
		return err
	}
	return s.sendForDownload(w, r, f.Name, contents)
}

// sendForDownload sends contents that may be anything an API has sent: the browser saves
// them and neither shows nor runs them. It closes the file.
func (s *site) sendForDownload(w http.ResponseWriter, r *http.Request, name string, contents *os.File) error {
	defer contents.Close() // it is only read
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", guard.Attachment(name))
	isolate(w)
	return s.sendFile(w, r, contents)
}

// isolate forbids everything to a response that comes from a file, in case that a browser
// shows it.
func isolate(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
}

func (s *site) sendFile(w http.ResponseWriter, r *http.Request, contents *os.File) error {
	info, err := contents.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	if r.Method == http.MethodHead {
		return nil
	}
	to := newDeadlineWriter(w)
	defer to.release()
	source := &errorReader{Reader: contents}
	_, _ = io.Copy(struct{ io.Writer }{to}, source) // an error of writing means that the browser has disconnected
	if source.err != nil {
		return s.broken(r, source.err)
	}
	return nil
}

// errorReader keeps the error of its reader.
type errorReader struct {
	io.Reader
	err error
}

func (r *errorReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

func fileURL(id string) string { return "/files/" + url.PathEscape(id) + "/download" }

// tryFileOf opens the file of a try that the path of a request names.
func tryFileOf(t *tryrun.Try, r *http.Request) (tryrun.File, *os.File, error) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return tryrun.File{}, nil, store.ErrNotFound
	}
	f, contents, ok, err := t.OpenFile(number)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return f, contents, err
}

func (s *site) tryFile(w http.ResponseWriter, r *http.Request, t *tryrun.Try) error {
	f, contents, err := tryFileOf(t, r)
	if err != nil {
		return err
	}
	return s.sendForDownload(w, r, f.Name, contents)
}

// tryPicture sends a picture of a kind that cannot run anything. Other files are not found
// here. The type of a picture follows from its first bytes, and the browser must not guess
// another type.
func (s *site) tryPicture(w http.ResponseWriter, r *http.Request, t *tryrun.Try) error {
	f, contents, err := tryFileOf(t, r)
	if err != nil {
		return err
	}
	defer contents.Close() // it is only read
	if f.Picture == "" {
		return store.ErrNotFound
	}
	w.Header().Set("Content-Type", f.Picture)
	isolate(w)
	return s.sendFile(w, r, contents)
}
