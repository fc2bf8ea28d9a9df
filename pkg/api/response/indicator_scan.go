package response

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Indicator is a member beside the data with a name about the pages of the list.
type Indicator struct {
	Kind IndicatorKind
	// Path are the names that lead to it.
	Path []string
	// Value is a scalar.
	Value value.Value

	form form
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

// What a survey looks at and keeps, regardless of the response.
const (
	surveyDepth      = 4   // names, beyond those of the objects that lead to the data
	surveyPath       = 16  // names of such objects
	surveyName       = 200 // bytes of a name
	surveyValue      = 4 << 10
	surveyIndicators = 32
	surveyLists      = 10
	surveyMarks      = 32
	// surveyStrangers is how many objects and lists are looked into of which
	// nothing is wanted and whose names are not known.
	surveyStrangers = 100
)

// errorsMember is the member of the response in which APIs report errors that
// the status does not show.
const errorsMember = "errors"

// indicatorScan is what a scan notices beside the data, in objects that are in no list.
type indicatorScan struct {
	path  []byte // the names that lead to the current value, each with a NUL after it
	depth int
	way   int // how many objects lead to the data
	off   int // how many values around the current one are not looked into
	found []Indicator
	lists []string // with items that are objects or lists
	// strangers are the objects and lists without a known name so far.
	strangers int
	errors    valueRange // of the member `errors` of the response
	// marks are the objects with members that decide about indicators.
	marks []mark
}

// mark notes the members of an object that decide about indicators.
type mark struct {
	path  string // like survey.path
	list  bool   // a list with items
	money bool   // a member of isOfMoney
	isID  bool   // an id
}

// surveyAround returns the survey of a response with its data at a path.
func surveyAround(path []string) indicatorScan {
	return indicatorScan{way: min(max(len(path)-1, 0), surveyPath)}
}

// enter goes to the member of an object.
func (v *indicatorScan) enter(name []byte) {
	if v.off > 0 || v.depth == surveyDepth+v.way || len(name) > surveyName || bytes.IndexByte(name, 0) >= 0 {
		v.off++
		return
	}
	v.path = append(append(v.path, name...), 0)
	v.depth++
}

// leave goes back from the member.
func (v *indicatorScan) leave() {
	if v.off > 0 {
		v.off--
		return
	}
	v.depth--
	v.path = v.path[:v.object()]
}

// object returns the length of the path of the object around the current value.
func (v *indicatorScan) object() int {
	if len(v.path) == 0 {
		return 0
	}
	return bytes.LastIndexByte(v.path[:len(v.path)-1], 0) + 1
}

// wants reports whether the current value is looked at, though nothing else is
// wanted of it.
func (v *indicatorScan) wants(kind jsontext.Kind) bool {
	if v.off > 0 {
		return false
	}
	if kind != '{' && kind != '[' {
		return true
	}
	if _, name := v.last(); AboutPages(name) || formOf(name).kind == NextPage || v.atErrors() {
		return true
	}
	v.strangers++
	return v.strangers <= surveyStrangers
}

func (v *indicatorScan) names() []string {
	if len(v.path) == 0 {
		return nil
	}
	return strings.Split(string(v.path[:len(v.path)-1]), "\x00")
}

// last are the last two names of them, nil where there is none.
func (v *indicatorScan) last() (above, name []byte) {
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

func (v *indicatorScan) scalar(raw []byte) { v.indicate(raw, scalarOf) }

// indicate looks at a scalar, which read reads.
func (v *indicatorScan) indicate(raw []byte, read func([]byte) value.Value) {
	if v.off > 0 || len(raw) > surveyValue {
		return
	}
	above, name := v.last()
	switch {
	case isOfMoney(name):
		v.mark().money = true
	case string(name) == "id":
		v.mark().isID = true
	}
	f := formInside(above, name)
	if f.kind == 0 {
		return
	}
	one := Indicator{Kind: f.kind, Path: v.names(), Value: read(raw), form: f}
	if f.flag && !isFlag(one.Value) {
		return
	}
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

// formInside returns the form of a member, also in an object `next` or `total`, which gives
// its members its own form.
func formInside(above, name []byte) form {
	switch {
	case isNextMember(name):
		if around := formOf(above); around.kind == NextPage {
			return around
		}
	case string(name) == "value" && string(above) == "total":
		return form{kind: TotalRows, weak: true}
	}
	return formOf(name)
}

// isFlag reports whether a value is true or false; in XML it is a text.
func isFlag(v value.Value) bool {
	if v.Kind() == value.Bool {
		return true
	}
	text := v.Text()
	return v.Kind() == value.String && (text == "true" || text == "false")
}

// mark returns the mark of the object around the current value, which may be changed.
func (v *indicatorScan) mark() *mark {
	path := v.path[:v.object()]
	for i := range v.marks {
		if v.marks[i].path == string(path) {
			return &v.marks[i]
		}
	}
	if len(v.marks) == surveyMarks {
		return &mark{}
	}
	v.marks = append(v.marks, mark{path: string(path)})
	return &v.marks[len(v.marks)-1]
}

// markOf returns the mark of the object at a path.
func (v *indicatorScan) markOf(names []string) mark {
	path := ""
	if len(names) > 0 {
		path = strings.Join(names, "\x00") + "\x00"
	}
	if at := slices.IndexFunc(v.marks, func(m mark) bool { return m.path == path }); at >= 0 {
		return v.marks[at]
	}
	return mark{}
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
func (v *indicatorScan) list(first value.Kind) {
	if v.off > 0 || first != value.Object && first != value.Array {
		return
	}
	v.mark().list = true
	if len(v.lists) == surveyLists {
		return
	}
	if path := strings.Join(v.names(), "."); path != errorsMember {
		v.lists = append(v.lists, path)
	}
}

// atErrors reports whether the current value is the response's member `errors`.
func (v *indicatorScan) atErrors() bool {
	return v.off == 0 && v.depth == 1 && string(v.path) == errorsMember+"\x00"
}
