package response

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Indicator is a member beside the data with information about the pages of a list.
type Indicator struct {
	Kind IndicatorKind
	// Path is the path of the member.
	Path []string
	// Value is a scalar.
	Value value.Value

	form form
}

// Place returns the path as text, with dots between the names.
func (i Indicator) Place() string { return strings.Join(i.Path, ".") }

// IndicatorKind is the meaning of an indicator.
type IndicatorKind int

// The kinds of indicators.
const (
	// NextPage is an address, a token or a number that leads to the next page.
	NextPage IndicatorKind = iota + 1
	// MorePages is true if there are more pages.
	MorePages
	// LastPage is true if there are no more pages.
	LastPage
	// TotalRows is the number of items on all pages.
	TotalRows
)

// The limits of a survey.
const (
	surveyDepth      = 4       // depth of objects, in addition to the objects that contain the data
	surveyPath       = 16      // maximum depth of the objects that contain the data
	surveyName       = 200     // maximum length of a name, in bytes
	surveyValue      = 4 << 10 // maximum size of a value, in bytes
	surveyIndicators = 32
	surveyLists      = 10
	surveyMarks      = 32
	// surveyStrangers is the maximum number of objects and lists with unknown names that
	// are surveyed although no values in them are requested.
	surveyStrangers = 100
)

// errorsMember is the name of the member in which APIs report errors with a successful
// status.
const errorsMember = "errors"

// indicatorScan collects indicators and lists beside the data while a response is
// scanned. It ignores objects in lists.
type indicatorScan struct {
	path      []byte // names that lead to the current value, each followed by a NUL
	depth     int
	dataDepth int // number of objects that contain the data
	off       int // number of values around the current one that are ignored
	found     []Indicator
	lists     []string // paths of lists with objects or lists as items
	// strangers is the number of objects and lists with unknown names so far.
	strangers int
	errors    valueRange // range of the member `errors` of the response
	// marks are the objects with members that decide about indicators.
	marks []mark
}

// mark records which members of an object decide about indicators.
type mark struct {
	path  string // path in the form of indicatorScan.path
	list  bool   // has a non-empty list
	money bool   // has a member in moneyMembers
	isID  bool   // has a member `id`
}

// surveyAround returns the survey of a response with data at the given path.
func surveyAround(path []string) indicatorScan {
	return indicatorScan{dataDepth: min(max(len(path)-1, 0), surveyPath)}
}

// enter moves to a member of the current object.
func (v *indicatorScan) enter(name []byte) {
	if v.off > 0 || v.depth == surveyDepth+v.dataDepth || len(name) > surveyName || bytes.IndexByte(name, 0) >= 0 {
		v.off++
		return
	}
	v.path = append(append(v.path, name...), 0)
	v.depth++
}

// leave moves back from the member to its object.
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

// wants reports whether the survey looks at the current value.
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

// last returns the last two names of the path, nil if they do not exist.
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

// indicate records a scalar if it is an indicator. read converts raw to a value.
func (v *indicatorScan) indicate(raw []byte, read func([]byte) value.Value) {
	if v.off > 0 || len(raw) > surveyValue {
		return
	}
	above, name := v.last()
	switch {
	case moneyMembers[string(name)]:
		v.mark().money = true
	case string(name) == "id":
		v.mark().isID = true
	}
	f := formInside(above, name)
	if f.kind == 0 {
		return
	}
	one := Indicator{Kind: f.kind, Path: v.names(), Value: read(raw), form: f}
	text := one.Value.Text() // in XML, flags are texts
	if f.flag && one.Value.Kind() != value.Bool && (one.Value.Kind() != value.String || text != "true" && text != "false") {
		return
	}
	for i := range v.found {
		if slices.Equal(v.found[i].Path, one.Path) { // the last member with the same name counts
			v.found[i] = one
			return
		}
	}
	if len(v.found) < surveyIndicators {
		v.found = append(v.found, one)
	}
}

// formInside returns the form of a member. In an object `next` or `total`, some names
// have the form of the object.
func formInside(above, name []byte) form {
	switch {
	case nextMembers[string(name)]:
		if around := formOf(above); around.kind == NextPage {
			return around
		}
	case string(name) == "value" && string(above) == "total":
		return form{kind: TotalRows, weak: true}
	}
	return formOf(name)
}

// mark returns the mark of the object around the current value. The caller may change it.
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

// scalarOf returns the value of a scalar that the decoder accepted.
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

// list records the current value, a list, if its first item is an object or a list.
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

// atErrors reports whether the current value is the member `errors` of the response.
func (v *indicatorScan) atErrors() bool {
	return v.off == 0 && v.depth == 1 && string(v.path) == errorsMember+"\x00"
}
