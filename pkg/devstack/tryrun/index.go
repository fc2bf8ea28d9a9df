package tryrun

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Row describes one exchange of a try, without headers and bodies.
type Row struct {
	// Number counts the exchanges of the recording, from 1.
	Number int
	// Job, Pointer, At, Login, Attempt and Redirected are copied from har.Origin.
	Job, Pointer      string
	At                []int
	Login, Redirected bool
	Attempt           int
	Method, URL       string
	// Status is 0 if there was no response. Error has the reason then. NotRecorded is
	// true if a replay had no recorded response to the request.
	Status      int
	NotRecorded bool
	Error       string
	Bytes       int64
	Took        time.Duration
	// Reading describes what was found in the response, or is nil if the response was not
	// read.
	Reading *har.PageFindings

	// Line is the range of the exchange in the recording.
	Line har.Span
}

// maxURL is the maximum length of a URL or an error in a row.
const maxURL = 1000

// Index lists the exchanges of a try in the order of the tree: by iteration, job and
// page. The requests of child jobs follow the page of their parent.
type Index struct {
	Rows []Row
	// Jobs is the number of root jobs. Iterations is the number of iterations.
	Jobs, Iterations int
}

// Index returns the index of the recording, or nil if there is no recording. It reads the
// index from its file unless it is cached. The index holds no bodies.
func (t *Try) Index() (*Index, error) {
	t.latest.mu.Lock()
	defer t.latest.mu.Unlock()
	if t.latest.try == t {
		return t.latest.index, nil
	}
	text, err := os.ReadFile(filepath.Join(t.dir, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	index := &Index{}
	if err == nil {
		err = json.Unmarshal(text, index)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the index of a try: %w", err)
	}
	t.latest.try, t.latest.index = t, index
	return index, nil
}

// saveIndex stores the index of the recording, if there is a recording. So pages of the
// web UI do not read the whole recording, which may have gigabytes.
func (t *Try) saveIndex() error {
	recording, err := os.Open(filepath.Join(t.dir, recordingName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the recording of a try: %w", err)
	}
	defer recording.Close() // only read
	index, err := newIndex(recording)
	if err != nil {
		return fmt.Errorf("reading the recording of a try: %w", err)
	}
	text, err := json.Marshal(index)
	if err == nil {
		err = os.WriteFile(filepath.Join(t.dir, indexName), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("storing the index of a try: %w", err)
	}
	return nil
}

func newIndex(r io.Reader) (*Index, error) {
	x := &Index{}
	readings := map[string]*har.PageFindings{}
	err := har.Summaries(r, func(s har.Summary) error {
		row := Row{
			Number: len(x.Rows) + 1, Method: s.Request.Method, URL: textfmt.Cut(s.Request.URL, maxURL), Status: s.Response.Status, Error: textfmt.Cut(s.Error, maxURL),
			NotRecorded: s.Unknown, Bytes: s.Response.Content.Size, Took: time.Duration(s.Time * float64(time.Millisecond)), Line: s.Line,
		}
		if o := s.Origin; o != nil {
			row.Job, row.Pointer, row.At, row.Login, row.Redirected, row.Attempt = o.Job, o.Pointer, o.At, o.Login, o.Redirected, o.Attempt
		}
		x.Rows = append(x.Rows, row)
		return nil
	}, func(found har.PageFindings) error {
		readings[fmt.Sprint(found.At)] = shortened(found)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(x.Rows, func(a, b Row) int {
		return cmp.Or(slices.Compare(a.At, b.At), cmp.Compare(a.Number, b.Number))
	})
	last := map[string]int{} // index of the last exchange of each page, which is the exchange that was read
	jobs, iterations := map[string]bool{}, map[int]bool{}
	for i, row := range x.Rows {
		if len(row.At) < 2 {
			continue
		}
		jobs[fmt.Sprint(row.At[:2])], iterations[row.At[0]] = true, true
		if !row.Login {
			last[fmt.Sprint(row.At)] = i
		}
	}
	for at, found := range readings {
		if i, ok := last[at]; ok {
			x.Rows[i].Reading = found
		}
	}
	x.Jobs, x.Iterations = len(jobs), len(iterations)
	return x, nil
}

// shortened returns the findings for the index. It drops paths with long names, because a
// hostile response could fill the memory with them.
func shortened(found har.PageFindings) *har.PageFindings {
	long := func(path []string) bool { return len(strings.Join(path, "")) > maxURL }
	if long(found.Data) {
		found.Data = nil
	}
	found.Next = slices.DeleteFunc(found.Next, long)
	found.Stop = textfmt.Cut(found.Stop, maxURL)
	return &found
}

// RecordedExchange is an exchange of a recording. Body reads its body from the file.
type RecordedExchange struct {
	Row
	har.Summary
	file *os.File
}

// Exchange opens the exchange with the given number. ok is false if there is none. The
// caller must close the exchange.
func (t *Try) Exchange(number int) (x *RecordedExchange, ok bool, err error) {
	index, err := t.Index()
	if err != nil || index == nil {
		return nil, false, err
	}
	i := slices.IndexFunc(index.Rows, func(r Row) bool { return r.Number == number })
	if i < 0 {
		return nil, false, nil
	}
	file, err := os.Open(filepath.Join(t.dir, recordingName))
	if err != nil {
		return nil, false, fmt.Errorf("reading the recording of a try: %w", err)
	}
	x = &RecordedExchange{Row: index.Rows[i], file: file}
	if x.Summary, err = har.SummaryAt(file, x.Row.Line); err != nil {
		return nil, false, errors.Join(fmt.Errorf("reading the recording of a try: %w", err), file.Close())
	}
	return x, true, nil
}

// Body returns a reader of the response body. It streams the body from the file.
func (x *RecordedExchange) Body() io.Reader { return x.Summary.Body(x.file) }

// Close closes the recording.
func (x *RecordedExchange) Close() error { return x.file.Close() }
