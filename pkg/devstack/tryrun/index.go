package tryrun

import (
	"bufio"
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
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// Row is one exchange of a try, without headers and bodies.
type Row struct {
	// Number counts the exchanges in the order of their ends, from 1.
	Number int
	// Job, Pointer, At, Login, Attempt and Redirected are those of har.Origin.
	Job, Pointer      string
	At                []int
	Login, Redirected bool
	Attempt           int
	Method, URL       string
	// Status is 0 without a response; then Error is the reason. NotRecorded is set for a
	// request that is not in the recording which answered the try.
	Status      int
	NotRecorded bool
	Error       string
	Bytes       int64
	Took        time.Duration
	// Reading is what was found in the response; nil for one that was not read.
	Reading *har.PageFindings

	// Line is where it is in the recording.
	Line har.Span
}

// maxURL is how much of an address a row has.
const maxURL = 1000

// Index are the exchanges of a try in the order of the tree: by iteration, job and page,
// child jobs below the page of their parent.
type Index struct {
	Rows []Row
	// Jobs and Iterations are how many root jobs and iterations there are.
	Jobs, Iterations int
}

// cachedIndex is the index of the try that was looked at last. One is enough for a person,
// and its memory is limited like the requests of one try.
type cachedIndex struct {
	mu    sync.Mutex
	try   *Try
	index *Index
}

// Index reads the index of the recording, unless it was the last one that was read; nil if
// there is none. The index holds no body.
func (t *Try) Index() (*Index, error) {
	t.latest.mu.Lock()
	defer t.latest.mu.Unlock()
	if t.latest.try == t {
		return t.latest.index, nil
	}
	file, err := os.Open(filepath.Join(t.dir, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the index of a try: %w", err)
	}
	defer file.Close() // it is only read
	index, err := readIndex(file)
	if err != nil {
		return nil, fmt.Errorf("reading the index of a try: %w", err)
	}
	t.latest.try, t.latest.index = t, index
	return index, nil
}

// keepIndex reads the recording, if there is one, and stores its index, so that no page has
// to read all of a recording, which may have gigabytes.
func (t *Try) keepIndex() error {
	recording, err := os.Open(filepath.Join(t.dir, recordingName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the recording of a try: %w", err)
	}
	defer recording.Close() // it is only read
	index, err := newIndex(recording)
	if err != nil {
		return fmt.Errorf("reading the recording of a try: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(t.dir, indexName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("storing the index of a try: %w", err)
	}
	if err := errors.Join(index.write(file), file.Close()); err != nil {
		return fmt.Errorf("storing the index of a try: %w", err)
	}
	return nil
}

// write writes the index: a JSON value without rows, then one for each row.
func (x *Index) write(w io.Writer) error {
	buffer := bufio.NewWriter(w)
	out := json.NewEncoder(buffer)
	if err := out.Encode(Index{Jobs: x.Jobs, Iterations: x.Iterations}); err != nil {
		return err
	}
	for _, row := range x.Rows {
		if err := out.Encode(row); err != nil {
			return err
		}
	}
	return buffer.Flush()
}

func readIndex(r io.Reader) (*Index, error) {
	in := json.NewDecoder(bufio.NewReader(r))
	x := &Index{}
	if err := in.Decode(x); err != nil {
		return nil, err
	}
	for {
		var row Row
		switch err := in.Decode(&row); {
		case errors.Is(err, io.EOF):
			return x, nil
		case err != nil:
			return nil, err
		}
		x.Rows = append(x.Rows, row)
	}
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
	last := map[string]int{} // the last exchange of each page: the one that was read
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

// shortened is a reading for the index. A path whose names are long comes from a response that
// wants to fill the memory; it is left out.
func shortened(found har.PageFindings) *har.PageFindings {
	long := func(path []string) bool { return len(strings.Join(path, "")) > maxURL }
	if long(found.Data) {
		found.Data = nil
	}
	found.Next = slices.DeleteFunc(found.Next, long)
	found.Stop = textfmt.Cut(found.Stop, maxURL)
	return &found
}

// RecordedExchange is one exchange with its head. Its body is read by Body, from the file.
type RecordedExchange struct {
	Row
	har.Summary
	file *os.File
}

// Exchange opens an exchange by its number. It must be closed. ok is false if there is
// none.
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

// Body reads the body of the response, piece by piece.
func (x *RecordedExchange) Body() io.Reader { return x.Summary.Body(x.file) }

// Close closes the file.
func (x *RecordedExchange) Close() error { return x.file.Close() }
