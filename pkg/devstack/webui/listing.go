package webui

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// maxPhrase is in bytes.
const maxPhrase = 200

func decimalID(id uint64) string { return strconv.FormatUint(id, 10) }

// listing selects the part of a long list that a page shows: the newest entries, or the
// entries before or after an id. It may be restricted by a phrase and by kinds.
type listing struct {
	// Prefix begins the names of its query parameters, so that a page can have two lists.
	Prefix string
	Phrase string
	Kinds  []string
	before uint64
	after  uint64
	// paged is true if the page does not show the newest entries.
	paged bool
}

func newListing(query url.Values, prefix string, kinds []string) listing {
	l := listing{Prefix: prefix, Phrase: strings.TrimSpace(query.Get(prefix + "q"))}
	l.Phrase = strings.ToValidUTF8(l.Phrase[:min(len(l.Phrase), maxPhrase)], "")
	for _, kind := range kinds {
		if slices.Contains(query[prefix+"kind"], kind) {
			l.Kinds = append(l.Kinds, kind)
		}
	}
	if id, err := strconv.ParseUint(query.Get(prefix+"before"), 10, 64); err == nil && id > 0 {
		l.before, l.paged = id, true
	} else if id, err := strconv.ParseUint(query.Get(prefix+"after"), 10, 64); err == nil {
		l.after, l.paged = id, true
	}
	return l
}

func (l listing) filtered() bool { return l.Phrase != "" || len(l.Kinds) > 0 }

func (l listing) query() url.Values {
	q := url.Values{}
	if l.Phrase != "" {
		q.Set(l.Prefix+"q", l.Phrase)
	}
	for _, kind := range l.Kinds {
		q.Add(l.Prefix+"kind", kind)
	}
	return q
}

// paging holds the URLs of other parts of a list. A URL is "" if there is no such part.
type paging struct {
	First, Earlier, Later, Newest string
}

// links returns the URLs of other parts of a list, for a page that shows the entries from
// first to last. others are the query parameters of other lists on the page.
func (l listing) links(path string, others url.Values, first, last uint64, earlier, later bool, fragment string) paging {
	to := func(name string, id uint64) string {
		q := l.query()
		for key, values := range others {
			q[key] = values
		}
		if name != "" {
			q.Set(l.Prefix+name, decimalID(id))
		}
		if len(q) == 0 {
			return path + "#" + fragment
		}
		return path + "?" + q.Encode() + "#" + fragment
	}
	var p paging
	if earlier {
		p.First, p.Earlier = to("after", 0), to("before", first)
	}
	if later {
		p.Later, p.Newest = to("after", last), to("", 0)
	}
	return p
}

// found is a part of a list of events, oldest first.
type found struct {
	events         []store.Event
	earlier, later bool
}

// search returns the events of a job that a listing shows. wants returns whether to keep
// an event and whether the event counts towards limit. search stops after limit counted
// events. It may call wants with events in falling order. may skips events by their JSON
// text. If may is nil, no event is skipped.
func (s *site) search(r *http.Request, job string, l listing, limit int, may func(text []byte) bool, wants func(store.Event) (keep, counts bool)) (f found, err error) {
	counted, more := 0, false
	take := func(e store.Event) bool {
		keep, counts := wants(e)
		if counts {
			counted++
		}
		if more = counted > limit; more {
			return false
		}
		if keep && len(f.events) < 5*limit {
			f.events = append(f.events, e)
		}
		return r.Context().Err() == nil
	}
	which := store.EventRange{Run: job, After: l.after, Before: l.before, Newest: !l.paged || l.before > 0}
	err = s.Store.FindEvents(which, may, take)
	if which.Newest {
		slices.Reverse(f.events)
		f.earlier, f.later = more, l.paged
	} else {
		f.earlier, f.later = l.after > 0, more
	}
	if err == nil {
		err = r.Context().Err()
	}
	return f, err
}

// mayContain returns a function that returns false for the JSON of an event if its
// message cannot contain the phrase in any case. It returns nil if the phrase cannot be
// found without parsing the JSON.
func mayContain(phrase string) func(text []byte) bool {
	const escaped = "\"\\<>&" // characters that JSON or the store escapes
	if phrase == "" || strings.ContainsFunc(phrase, func(r rune) bool { return r < ' ' || r >= utf8.RuneSelf || strings.ContainsRune(escaped, r) }) {
		return nil
	}
	wanted, lower := []byte(strings.ToLower(phrase)), []byte(nil)
	return func(text []byte) bool {
		lower = lower[:0]
		for _, c := range text {
			if c >= utf8.RuneSelf {
				return true // some letters beyond ASCII have lower-case ASCII forms
			}
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			lower = append(lower, c)
		}
		return bytes.Contains(lower, wanted)
	}
}
