package engine

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// repetition detects paging that makes no progress: the same answer twice in a
// row, or a request and an answer that were both there before. It keeps about 16
// bytes for each page of a job.
//
// It cannot keep less: a page may repeat any earlier one, and the first page that
// does is dropped before its rows are stored. The algorithms that find a cycle with
// the memory of two pages (Brent, Floyd) find it rounds later, after needless
// requests whose rows would be stored again.
type repetition struct {
	seed maphash.Seed
	// pages are grouped by a byte of their hashes, so that few are compared, and few
	// are moved when a group grows. A map would take three times the memory.
	pages    map[byte][]earlier
	previous uint64
	last     int // number of the page with that fingerprint, 0 for none
	// earlier is the number of the page that the last one repeats, 0 for none.
	earlier int
}

// earlier is a page that was there: a hash of its request and its answer, and its
// number. The hash is in two halves, because as one number it would make the struct
// larger by a third. Of thirty million jobs with a million pages, one has two pages
// with the same hash by chance.
type earlier struct{ high, low, number uint32 }

// check returns the reason to stop when the page repeats an earlier one. The page is
// then dropped.
func (r *repetition) check(number int, request config.Request, page *answer.Page) *paging.Stop {
	if page.NoBody {
		return nil
	}
	before := r.last
	same := before > 0 && r.previous == page.Fingerprint
	r.previous, r.last = page.Fingerprint, number
	if same {
		r.earlier = before
		return &paging.Stop{Rule: fmt.Sprintf("page %d is the same as the page before it and was dropped", number)}
	}
	if before, ok := r.remember(number, request, page.Fingerprint); ok {
		r.earlier = int(before)
		return &paging.Stop{Rule: fmt.Sprintf("page %d repeats page %d, request and answer alike, and was dropped", number, before)}
	}
	return nil
}

// remember keeps a page, or returns the number of an earlier one with the same
// request and answer.
func (r *repetition) remember(number int, request config.Request, res uint64) (before uint32, ok bool) {
	if r.pages == nil {
		r.pages, r.seed = map[byte][]earlier{}, maphash.MakeSeed()
	}
	text := []byte(request.Method + " " + request.Endpoint + " ")
	text = appendSent(text, request.Params)
	text = appendSent(text, request.Query)
	text = appendSent(text, request.Headers)
	hash := maphash.Bytes(r.seed, binary.LittleEndian.AppendUint64(text, res))
	page := earlier{uint32(hash >> 32), uint32(hash), uint32(number)}
	part := r.pages[byte(hash)]
	for _, e := range part {
		if e.high == page.high && e.low == page.low {
			return e.number, true
		}
	}
	r.pages[byte(hash)] = append(part, page)
	return 0, false
}

// appendSent appends a value in a form that is equal for values that look the
// same in an address: 5 and "5".
func appendSent(dst []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.Array:
		dst = append(dst, '[')
		for _, item := range v.Items() {
			dst = append(appendSent(dst, item), ',')
		}
	case value.Object:
		dst = append(dst, '{')
		for _, m := range v.Members() {
			dst = append(strconv.AppendQuote(dst, m.Name), ':')
			dst = append(appendSent(dst, m.Value), ',')
		}
	default:
		dst = strconv.AppendQuote(dst, v.Text())
	}
	return dst
}

// repetitionRule is check in a sentence.
const repetitionRule = "Always stops at a page that is the same as the one before it, or whose request and answer both were there before."
