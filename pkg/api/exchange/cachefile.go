package exchange

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
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// entry is one answer in the cache. Its file is one line of JSON, which says
// when the answer came, its status, its header Link and the SHA-256 of the body, and
// then the body as it is. So whatever is broken or cut off is noticed.
type entry struct {
	created int64 // Unix seconds
	status  int
	link    []string // values of the header Link
	body    *answer.Spool
}

// The names in the first line.
const (
	entryCreated = "created"
	entryStatus  = "status"
	entryLink    = "link"
	entryHash    = "sha256"
)

// cachePart starts the name of a file that is still being written.
const cachePart = ".part-"

// readEntry reads a file of the cache; ok is false when there is none, or none
// that is whole.
func readEntry(path string, spooler *answer.Spooler) (e entry, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return entry{}, false
	}
	defer f.Close() // was only read
	r := bufio.NewReader(f)
	e, digest, ok := readHead(r)
	if !ok {
		return entry{}, false
	}
	e.body = spooler.New()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(e.body, h), r); err != nil || sum(h) != digest {
		// A spool that cannot be written or closed shows again when the answer
		// comes from the API instead.
		_ = e.body.Close()
		return entry{}, false
	}
	return e, true
}

func readHead(r *bufio.Reader) (e entry, digest string, ok bool) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return entry{}, "", false
	}
	head, err := value.Parse(line)
	if err != nil {
		return entry{}, "", false
	}
	created, isTime := head.Field(entryCreated).Int()
	status, isStatus := head.Field(entryStatus).Int()
	ok = isTime && isStatus && status >= 200 && status <= 299
	e = entry{created: created, status: int(status)}
	for _, line := range head.Field(entryLink).Items() {
		e.link = append(e.link, line.Text())
	}
	return e, head.Field(entryHash).Raw(), ok
}

// write puts the entry into a file, all at once: a reader sees
// the one before meanwhile, or none.
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
	// Another user id than ours may run next.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	head := value.OfMembers(
		value.Member{Name: entryCreated, Value: value.OfInt(e.created)},
		value.Member{Name: entryStatus, Value: value.OfInt(int64(e.status))},
		value.Member{Name: entryHash, Value: value.OfString(sum(h))},
	)
	if len(e.link) > 0 {
		var link []value.Value
		for _, line := range e.link {
			link = append(link, value.OfString(line))
		}
		head = head.With(entryLink, value.OfItems(link...))
	}
	_, err = fmt.Fprintln(f, head.JSON())
	if err == nil {
		_, err = io.Copy(f, e.body.Raw())
	}
	return errors.Join(err, f.Close())
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

func (e entry) answer(x *Exchange, path string) *Answer {
	return &Answer{
		Exchange:   x,
		Status:     e.status,
		StatusLine: strconv.Itoa(e.status) + " " + http.StatusText(e.status),
		Header:     http.Header{"Link": e.link},
		Body:       e.body,
		cached:     path,
	}
}
