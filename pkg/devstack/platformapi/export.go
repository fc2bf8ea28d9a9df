package platformapi

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// exportTable writes rows of a table to a file. The real platform does this later; here the
// file is complete before the response is sent, so the response contains a finished
// operation.
func (s *server) exportTable(r *http.Request, f *fields, t store.Table) (response, error) {
	started := s.Now()
	selected := selectionOf(f, t, 0, math.MaxInt32, started)
	format := f.format(rfcFormat, escapedFormat, rawFormat)
	packed, _ := f.flag("gzip")
	if f.err != nil {
		return response{}, f.err
	}
	file := store.File{
		Name: t.ID + ".csv", Kind: "text/csv; charset=utf-8", Tags: []string{"storage-merged-export"}, RunID: runOf(r),
	}
	if packed {
		file.Name, file.Kind = file.Name+".gz", "application/gzip"
	}
	file, err := s.Store.AddFile(file, func(out io.Writer) error { return s.export(out, t, selected, format, packed) })
	if err != nil {
		return response{}, err
	}
	id, err := strconv.ParseUint(file.ID, 10, 64)
	if err != nil {
		return response{}, err
	}
	type exported struct {
		ID uint64 `json:"id"`
	}
	return s.operate(r, store.Operation{Name: "tableExport", Table: t.ID, Created: started}, struct {
		File     exported `json:"file"`
		CacheHit bool     `json:"cacheHit"`
	}{File: exported{id}})
}

func (s *server) export(out io.Writer, t store.Table, selected selection, format string, packed bool) (err error) {
	buffered := bufio.NewWriterSize(out, 1<<16)
	var lines io.Writer = buffered
	if packed {
		compressed := gzip.NewWriter(buffered)
		lines = compressed
		defer func() { err = cmp.Or(err, compressed.Close(), buffered.Flush()) }()
	} else {
		defer func() { err = cmp.Or(err, buffered.Flush()) }()
	}
	line := appendLine(nil, format, selected.names)
	if _, err := lines.Write(line); err != nil {
		return err
	}
	return selected.each(s.Store, t, func(cells []string) error {
		line = appendLine(line[:0], format, cells)
		_, err := lines.Write(line)
		return err
	})
}

func runOf(r *http.Request) string {
	if id := r.Header.Get(runHeader); validID(id) {
		return id
	}
	return ""
}

type operationRecord struct {
	ID            uint64           `json:"id"`
	Status        string           `json:"status"`
	URL           string           `json:"url"`
	TableID       *string          `json:"tableId"`
	OperationName string           `json:"operationName"`
	Params        json.RawMessage  `json:"operationParams"`
	CreatedTime   string           `json:"createdTime"`
	StartTime     string           `json:"startTime"`
	EndTime       string           `json:"endTime"`
	RunID         *string          `json:"runId"`
	Results       json.RawMessage  `json:"results"`
	Creator       jobToken         `json:"creatorToken"`
	Metrics       operationMetrics `json:"metrics"`
	BranchID      int              `json:"idBranch"`
}

// operationMetrics are always zero: operations are not measured.
type operationMetrics struct {
	InCompressed         bool  `json:"inCompressed"`
	InBytes              int64 `json:"inBytes"`
	InBytesUncompressed  int64 `json:"inBytesUncompressed"`
	OutCompressed        bool  `json:"outCompressed"`
	OutBytes             int64 `json:"outBytes"`
	OutBytesUncompressed int64 `json:"outBytesUncompressed"`
}

// operate stores a complete operation and responds with it. The status is 202, as on a real
// platform, which has only accepted the operation by then.
func (s *server) operate(r *http.Request, o store.Operation, results any) (response, error) {
	text, err := encode(results)
	if err != nil {
		return response{}, err
	}
	o.Results, o.RunID = text, runOf(r)
	if o, err = s.Store.AddOperation(o); err != nil {
		return response{}, err
	}
	return response{status: http.StatusAccepted, record: operationOf(r, o)}, nil
}

func operationOf(r *http.Request, o store.Operation) operationRecord {
	id, _ := strconv.ParseUint(o.ID, 10, 64) // the store generated the id
	return operationRecord{
		ID: id, Status: "success", URL: baseURL(r) + storagePath + "/jobs/" + o.ID, TableID: orNull(o.Table), OperationName: o.Name,
		Params: orRaw(o.Params, "{}"), CreatedTime: storageTime(o.Created), StartTime: storageTime(o.Created), EndTime: storageTime(o.Ended),
		RunID: orNull(o.RunID), Results: orRaw(o.Results, "null"), Creator: jobToken{ID: tokenID, Description: tokenDescription}, BranchID: branchID,
	}
}

func (s *server) showOperation(r *http.Request) (response, error) {
	id := r.PathValue("operation")
	o, err := s.Store.Operation(id)
	return ok(operationOf(r, o), replaceError(err, store.ErrNotFound, notFound("storage.jobs.notFound", "Job %q not found", id)))
}

func (s *server) listOperations(r *http.Request) (response, error) {
	q := queryOf(r)
	skip, limit := q.number("offset", 0, 0, math.MaxInt32), q.number("limit", 20, 1, 10_000)
	if q.err != nil {
		return response{}, q.err
	}
	found := []operationRecord{}
	err := s.Store.Operations(func(o store.Operation) bool {
		if skip--; skip < 0 {
			found = append(found, operationOf(r, o))
		}
		return len(found) < limit
	})
	return ok(found, err)
}
