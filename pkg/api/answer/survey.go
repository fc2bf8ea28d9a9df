package answer

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Indicator is a member beside the data that, by its well-known name, says
// something about the pages of the list.
type Indicator struct {
	Kind IndicatorKind
	// Path are the names that lead to it.
	Path []string
	// Value is a scalar.
	Value value.Value
}

// Place is the path in one text, its names parted by dots.
func (i Indicator) Place() string { return strings.Join(i.Path, ".") }

// IndicatorKind is what an indicator says.
type IndicatorKind int

// The kinds of indicators.
const (
	// NextPage leads to the next page: an address, a token or a number.
	NextPage IndicatorKind = iota + 1
	// MorePages is true when there are more pages.
	MorePages
	// LastPage is true when there are none.
	LastPage
	// TotalRows is how many items there are on all pages.
	TotalRows
)

// indicatorOf is the kind of a member by its name, 0 for none.
func indicatorOf(name []byte) IndicatorKind {
	switch string(name) {
	case "next", "next_page", "nextPage", "next_link", "nextLink", "@odata.nextLink", "@nextLink",
		"next_url", "nextUrl", "nextURL", "next_page_url", "nextPageUrl", "nextPageURL", "nextRecordsUrl",
		"next_cursor", "nextCursor", "next_token", "nextToken", "next_page_token", "nextPageToken":
		return NextPage
	case "has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage":
		return MorePages
	case "is_last", "isLast", "is_last_page", "isLastPage", "end_of_stream":
		return LastPage
	case "total", "total_count", "totalCount", "totalResults":
		return TotalRows
	default:
		return 0
	}
}

// groupsIndicators reports whether an object of that name, beside the data, is
// where APIs put indicators.
func groupsIndicators(name []byte) bool {
	switch string(name) {
	case "links", "_links", "paging", "pagination", "pager", "page", "pages", "page_info", "pageInfo",
		"meta", "_meta", "metadata", "_metadata", "response_metadata", "result_info", "cursor":
		return true
	default:
		return false
	}
}

// isNextMember reports whether a member of an object `next` is what leads to the next
// page.
func isNextMember(name []byte) bool {
	switch string(name) {
	case "href", "url", "link", "after", "cursor", "token", "page", "offset", "start":
		return true
	default:
		return false
	}
}

// What a survey looks at and keeps, regardless of the answer.
const (
	surveyDepth      = 4   // objects in objects
	surveyName       = 200 // bytes of a name
	surveyValue      = 4 << 10
	surveyIndicators = 32
	surveyLists      = 10
	// surveyStrangers is how many objects and lists are looked into of which
	// nothing is wanted and whose names are not known.
	surveyStrangers = 100
)

// errorsMember is the member of the response in which APIs report errors that
// the status does not show.
const errorsMember = "errors"

// survey is what a scan notices beside the data, in objects that are in no list.
type survey struct {
	path  []byte // the names that lead to the current value, each with a NUL after it
	depth int
	off   int // how many values around the current one are not looked into
	found []Indicator
	lists []string // with items that are objects or lists
	// strangers are the objects and lists without a known name so far.
	strangers int
	errors    span // of the member `errors` of the response
}

// enter goes to the member of an object.
func (v *survey) enter(name []byte) {
	if v.off > 0 || v.depth == surveyDepth || len(name) > surveyName || bytes.IndexByte(name, 0) >= 0 {
		v.off++
		return
	}
	v.path = append(append(v.path, name...), 0)
	v.depth++
}

// leave goes back from the member.
func (v *survey) leave() {
	if v.off > 0 {
		v.off--
		return
	}
	v.depth--
	v.path = v.path[:bytes.LastIndexByte(v.path[:len(v.path)-1], 0)+1]
}

// wants reports whether the current value is looked at, though nothing else is
// wanted of it.
func (v *survey) wants(kind jsontext.Kind) bool {
	if v.off > 0 {
		return false
	}
	if kind != '{' && kind != '[' {
		return true
	}
	if _, name := v.last(); groupsIndicators(name) || string(name) == "next" || v.atErrors() {
		return true
	}
	v.strangers++
	return v.strangers <= surveyStrangers
}

func (v *survey) names() []string {
	if len(v.path) == 0 {
		return nil
	}
	return strings.Split(string(v.path[:len(v.path)-1]), "\x00")
}

// last are the last two names of them, nil where there is none.
func (v *survey) last() (above, name []byte) {
	if len(v.path) == 0 {
		return nil, nil
	}
	path := v.path[:len(v.path)-1]
	at := bytes.LastIndexByte(path, 0)
	if at < 0 {
		return nil, path
	}
	return path[bytes.LastIndexByte(path[:at], 0)+1 : at], path[at+1:]
}

func (v *survey) scalar(raw []byte) { v.indicate(raw, scalarOf) }

// indicate looks at a scalar, which read reads.
func (v *survey) indicate(raw []byte, read func([]byte) value.Value) {
	if v.off > 0 || len(raw) > surveyValue {
		return
	}
	above, name := v.last()
	kind := indicatorOf(name)
	if kind == 0 && string(above) == "next" && isNextMember(name) {
		kind = NextPage
	}
	if kind == 0 {
		return
	}
	one := Indicator{Kind: kind, Path: v.names(), Value: read(raw)}
	for i := range v.found {
		if slices.Equal(v.found[i].Path, one.Path) { // of equal names the last value counts
			v.found[i] = one
			return
		}
	}
	if len(v.found) < surveyIndicators {
		v.found = append(v.found, one)
	}
}

// scalarOf is the value of a scalar that the decoder has accepted.
func scalarOf(raw []byte) value.Value {
	switch kindOf(jsontext.Value(raw).Kind()) {
	case value.String:
		return value.OfString(string(contents(raw)))
	case value.Bool:
		return value.OfBool(raw[0] == 't')
	case value.Number:
		return value.OfNumber(string(raw))
	default:
		return value.Value{}
	}
}

// list looks at a list whose first item is of that kind.
func (v *survey) list(first value.Kind) {
	if v.off > 0 || first != value.Object && first != value.Array || len(v.lists) == surveyLists {
		return
	}
	if path := strings.Join(v.names(), "."); path != errorsMember {
		v.lists = append(v.lists, path)
	}
}

// atErrors reports whether the current value is the response's member `errors`.
func (v *survey) atErrors() bool {
	return v.off == 0 && v.depth == 1 && string(v.path) == errorsMember+"\x00"
}

// beside are the indicators that belong to the list at a path. They are in an
// object around it, or in an object there whose name is well known. Totals must
// be next to the list, or in such an object next to it or at the top.
func (v *survey) beside(list []string) []Indicator {
	if len(list) == 0 {
		return nil // the response is the list
	}
	around := list[:len(list)-1]
	return slices.DeleteFunc(v.found, func(i Indicator) bool {
		shared := 0
		for shared < min(len(around), len(i.Path)-1) && i.Path[shared] == around[shared] {
			shared++
		}
		groups := i.Path[shared : len(i.Path)-1]
		if n := len(groups); n > 0 && groups[n-1] == "next" {
			groups = groups[:n-1]
		}
		atTop := shared == 0 && len(around) <= 1 && len(groups) > 0
		if i.Kind == TotalRows && shared < len(around) && !atTop {
			return true
		}
		return slices.ContainsFunc(groups, func(name string) bool { return !groupsIndicators([]byte(name)) })
	})
}
