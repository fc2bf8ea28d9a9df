package extract

import (
	"fmt"
	"hash/maphash"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/pagination"
	"github.com/keboola/configurable-extractor/pkg/response"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// repetition notices that paging does not get on: the same answer twice in a
// row, or a request and an answer that both were there before. It remembers 16
// bytes for each page of a job.
type repetition struct {
	seed     maphash.Seed
	pages    map[exchange]int // number of the page
	previous uint64
	any      bool
	// again is set when paging came back to an earlier page.
	again bool
}

// exchange identifies a request with its answer.
type exchange struct{ request, answer uint64 }

// check tells whether the page repeats an earlier one, which ends the job and
// drops the page.
func (r *repetition) check(number int, request config.Request, page *response.Page) *pagination.Stop {
	if page.NoBody {
		return nil
	}
	if r.pages == nil {
		r.pages, r.seed = map[exchange]int{}, maphash.MakeSeed()
	}
	same := r.any && r.previous == page.Fingerprint
	r.previous, r.any = page.Fingerprint, true
	if same {
		return &pagination.Stop{Rule: fmt.Sprintf("page %d is the same as the page before it and was dropped", number)}
	}
	key := exchange{r.hash(request), page.Fingerprint}
	if earlier, ok := r.pages[key]; ok {
		r.again = true
		return &pagination.Stop{Rule: fmt.Sprintf("page %d repeats page %d, request and answer alike, and was dropped: paging goes round in circles", number, earlier)}
	}
	r.pages[key] = number
	return nil
}

func (r *repetition) hash(request config.Request) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	text := []byte(request.Method + " " + request.Endpoint + " ")
	text = appendSent(text, request.Params)
	text = appendSent(text, request.Headers)
	h.Write(text)
	return h.Sum64()
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
