package engine

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// repetition detects pagination without progress: pages that repeat earlier pages. It
// keeps about 20 bytes for each page of a job.
//
// It cannot keep less: a page may repeat any earlier page, and the first repeated page is
// dropped before its rows are stored. The algorithms that find a cycle with the memory of
// two pages (Brent, Floyd) find it rounds later, after needless requests, and the rows of
// these requests would be stored again.
//
// A job therefore ends for any API with finitely many responses. If requests follow from
// the pages, no pair of request and rows occurs twice. If requests only count, at most
// mostKnown pages occur between two pages with new rows.
type repetition struct {
	numbered, forever bool // pagination.Traits.Numbered and Distinct of the scroller

	seed maphash.Seed
	// pages are grouped by a byte of their hashes, so that only a few pages are compared,
	// and only a few are moved when a group grows. A map would take three times the
	// memory.
	pages map[byte][]earlier
	// last is the previous page. Its number is 0 before the first page.
	last seenPage
	// equal is the number of pages in a row, up to the last page, with the same rows.
	equal int
	// known is the number of pages in a row, up to the last page, with rows of an earlier
	// page. It counts only if forever is set.
	known int
	// empty is the number of pages in a row, up to the last page, that equal the page before
	// them, have no rows, and lead to another request.
	empty int
}

// seenPage describes the previous page.
type seenPage struct {
	number      int
	request     uint64 // hash of the request
	fingerprint uint64
	items       uint64
	noBody      bool
}

// earlier is an earlier page. By chance, two pages have the same hash in one of thirty
// million jobs with a million pages.
type earlier struct {
	hash   uint64 // hash of the request and the items, or only of the items if forever is set
	items  uint32 // short hash of the items, 0 without items
	number uint32 // page number
}

const (
	// mostEqual is the maximum number of pages in a row with the same rows, for scrollers
	// that continue even if the API ignores their parameter.
	mostEqual = 2
	// mostKnown is the maximum number of pages in a row with rows of earlier pages, if each
	// request is new: a list may have equal rows, but not 1,000 pages of them.
	mostKnown = 1000
	// mostEmpty is the maximum number of pages in a row without rows that are equal but
	// lead to other requests by their headers. Some APIs filter the rows of a page after
	// they have read it, other APIs lead to new pages for ever.
	mostEmpty = 100
)

// repeat is a page without new rows.
type repeat struct {
	earlier int  // number of the page that it repeats
	doubled bool // earlier pages with repeated rows were stored
	leadsOn bool // the page leads to another request
	rule    string
}

// check returns the repetition if the page repeats an earlier page and must be dropped,
// otherwise nil. next returns the request that the page leads to, if there is one.
func (r *repetition) check(number int, request config.RequestSpec, page *response.Page, next func() (config.RequestSpec, bool)) *repeat {
	if r.pages == nil {
		r.pages, r.seed = map[byte][]earlier{}, maphash.MakeSeed()
	}
	before := r.last
	r.last = seenPage{number: number, request: r.hash(request), fingerprint: page.Fingerprint, items: page.ItemsFingerprint, noBody: page.NoBody}
	sameItems := before.number > 0 && page.Rows > 0 && page.ItemsFingerprint == before.items
	if r.equal++; !sameItems {
		r.equal = 1
	}
	first := r.remember(number, page)
	if r.known++; first == 0 {
		r.known = 0
	}
	same := before.number > 0 && !page.NoBody && !before.noBody && page.Fingerprint == before.fingerprint
	// An equal page can lead on only by its headers. Scrollers that count continue
	// regardless of the page.
	leadsOn := false
	if same && page.Rows == 0 && !r.numbered {
		request, ok := next()
		leadsOn = ok && !r.unchanged(request)
	}
	if r.empty++; !leadsOn {
		r.empty = 0
	}
	doubled := r.equal > mostEqual
	switch {
	case r.empty > mostEmpty:
		return &repeat{earlier: before.number, leadsOn: true, rule: fmt.Sprintf("page %d has no rows, like the %d pages before it, and was dropped", number, mostEmpty)}
	case same && !leadsOn:
		return &repeat{earlier: before.number, doubled: doubled, rule: fmt.Sprintf("page %d is the same as the page before it and was dropped", number)}
	case sameItems && r.last.request == before.request:
		return &repeat{earlier: before.number, doubled: doubled, rule: fmt.Sprintf("page %d has the same request and the same rows as the page before it and was dropped", number)}
	case r.numbered && doubled:
		return &repeat{earlier: before.number, doubled: true, rule: fmt.Sprintf("page %d has the same rows as the %d pages before it and was dropped", number, mostEqual)}
	case !r.forever && first > 0:
		return &repeat{earlier: first, doubled: r.doubled(), rule: fmt.Sprintf("page %d has the same request and the same rows as page %d and was dropped", number, first)}
	case r.known > mostKnown:
		return &repeat{earlier: first, doubled: true, rule: fmt.Sprintf("page %d repeats page %d, after %d pages that repeat earlier pages, and was dropped", number, first, mostKnown)}
	default:
		return nil
	}
}

// unchanged reports whether a request equals the request of the last page.
func (r *repetition) unchanged(request config.RequestSpec) bool {
	return r.last.number > 0 && r.last.request == r.hash(request)
}

// remember returns the number of an earlier page with the same request and rows as the
// last page, or with the same rows if forever is set. If there is no such page, it keeps
// the last page and returns 0.
func (r *repetition) remember(number int, page *response.Page) (before int) {
	key := binary.LittleEndian.AppendUint64(nil, page.ItemsFingerprint)
	if !r.forever {
		key = binary.LittleEndian.AppendUint64(key, r.last.request)
	}
	hash := maphash.Bytes(r.seed, key)
	part := r.pages[byte(hash)]
	for _, e := range part {
		if e.hash == hash {
			return int(e.number)
		}
	}
	r.pages[byte(hash)] = append(part, earlier{hash, uint32(page.ItemsFingerprint), uint32(number)})
	return 0
}

// doubled reports whether two kept pages have the same rows. A cycle has such pages if
// the request of its first page differs the second time.
func (r *repetition) doubled() bool {
	var items []uint32
	for _, part := range r.pages {
		for _, e := range part {
			if e.items != 0 {
				items = append(items, e.items)
			}
		}
	}
	slices.Sort(items)
	return len(slices.Compact(items)) < len(items)
}

// hash returns the hash of a request as pagination makes it, without authentication and
// without headers and parameters of all jobs.
func (r *repetition) hash(request config.RequestSpec) uint64 {
	text := []byte(request.Method + " " + request.Endpoint + " ")
	text = appendSent(text, request.Params)
	text = appendSent(text, request.Query)
	text = appendSent(text, request.Headers)
	if request.Body != nil {
		text = append(text, request.Body.Text...)
	}
	return maphash.Bytes(r.seed, text)
}

// appendSent appends a value in a form that is equal for values that are sent as the same
// text in a URL, such as 5 and "5".
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
	case value.Null:
		dst = append(dst, "null"...)
	default:
		dst = strconv.AppendQuote(dst, v.Text())
	}
	return dst
}

// repetitionRule describes repetition.check in a sentence.
const repetitionRule = "Always stops at a page without new data: a page that is the same as the previous page, or that has the same request and rows as an earlier page."
