package httpclient

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// entry is one response in the cache. The first line of its file is JSON with the time,
// the status, the headers and the SHA-256 of the body. The unchanged body follows. The
// hash detects a damaged or truncated file.
type entry struct {
	created int64 // Unix seconds
	status  int
	header  http.Header
	body    *response.Spool
}

const (
	entryCreated = "created"
	entryStatus  = "status"
	entryHeader  = "headers"
	entryHash    = "sha256"
)

// maxEntryHead is the maximum length, in bytes, of the first line of a file: a head with
// every byte escaped, and the other members.
const maxEntryHead = 6*maxHead + 1<<10

// cacheableHeaders returns the headers of a response that describe its data. It drops
// headers of the connection, and cookies, because they are credentials.
func cacheableHeaders(h http.Header) http.Header {
	all := http.Header{}
	for name, values := range h {
		switch strings.ToLower(name) {
		case "set-cookie", "connection", "keep-alive", "transfer-encoding", "trailer", "content-encoding", "content-length":
		default:
			all[name] = values
		}
	}
	return all
}

// cachePart is the prefix of the name of a file that is being written.
const cachePart = ".part-"

// readEntry reads a file of the cache. ok is false if the file is missing or damaged.
func readEntry(path string, spooler *response.Spooler) (e entry, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return entry{}, false
	}
	defer f.Close()
	r := bufio.NewReader(f)
	e, digest, ok := readHead(r)
	if !ok {
		return entry{}, false
	}
	e.body = spooler.New()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(e.body, h), r); err != nil || sum(h) != digest {
		// The request is sent instead. If writing temporary files failed, its response
		// fails, too.
		_ = e.body.Close()
		return entry{}, false
	}
	return e, true
}

func readHead(r *bufio.Reader) (e entry, digest string, ok bool) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err != nil && err != bufio.ErrBufferFull || len(line) > maxEntryHead {
			return entry{}, "", false
		}
		if err == nil {
			break
		}
	}
	head, err := value.Parse(line)
	if err != nil {
		return entry{}, "", false
	}
	created, isTime := head.Field(entryCreated).Int()
	status, isStatus := head.Field(entryStatus).Int()
	headers, isHeader := head.Get(entryHeader) // earlier versions stored no headers
	ok = isTime && isStatus && isHeader && status >= 200 && status <= 299
	e = entry{created: created, status: int(status), header: http.Header{}}
	for _, m := range headers.Members() {
		for _, line := range m.Value.Items() {
			e.header[m.Name] = append(e.header[m.Name], line.Text())
		}
	}
	return e, head.Field(entryHash).Raw(), ok
}

// write replaces a file of the cache atomically.
func (e entry) write(path string) error {
	part := filepath.Join(filepath.Dir(path), cachePart+rand.Text())
	err := e.writePart(part)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err == nil {
		return nil
	}
	if removed := os.Remove(part); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

func (e entry) writePart(path string) error {
	h := sha256.New()
	if _, err := io.Copy(h, e.body.Raw()); err != nil {
		return err
	}
	// The next run may have another user ID.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	var headers []value.Member
	for _, name := range slices.Sorted(maps.Keys(e.header)) {
		headers = append(headers, value.Member{Name: name, Value: value.OfStrings(e.header[name])})
	}
	head := value.OfMembers(
		value.Member{Name: entryCreated, Value: value.OfInt(e.created)},
		value.Member{Name: entryStatus, Value: value.OfInt(int64(e.status))},
		value.Member{Name: entryHash, Value: value.OfString(sum(h))},
		value.Member{Name: entryHeader, Value: value.OfMembers(headers...)},
	)
	_, err = fmt.Fprintln(f, head.JSON())
	if err == nil {
		_, err = io.Copy(f, e.body.Raw())
	}
	return errors.Join(err, f.Close())
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

func (e entry) response(x *call, path string) *Response {
	e.body.Arrived("", e.header.Get("Content-Type"))
	return &Response{
		call:       x,
		Status:     e.status,
		StatusLine: strconv.Itoa(e.status) + " " + http.StatusText(e.status),
		Header:     e.header,
		Body:       e.body,
		cacheFile:  path,
		fromCache:  true,
	}
}
