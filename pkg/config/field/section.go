package field

import (
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Section is one part of the document on its way into the package that knows its
// meaning (a scroller, an authentication, a mapping): the value, its place, and
// the shared list that collects every problem before anything is sent.
//
// Its getters cast what the original extractor casts: numeric strings are
// numbers, any scalar has a truth. What cannot be cast becomes a problem and the
// getter returns its default, so that a compile step can go on and find the
// next problem.
type Section struct {
	Value    value.Value
	Pointer  string
	problems *failure.Problems
	// faulty holds the places whose problem is already in the list; one place
	// gets one problem, so that no one reads the same fault twice.
	faulty map[string]bool
}

// NewSection makes a section; problems must not be nil.
func NewSection(v value.Value, pointer string, problems *failure.Problems) Section {
	return Section{Value: v, Pointer: pointer, problems: problems}
}

// Problems is the list that collects this document's problems.
func (s Section) Problems() *failure.Problems { return s.problems }

// Present reports whether anything that is not empty stands here.
func (s Section) Present() bool { return !s.Value.Empty() }

// Faulty reports whether something is wrong with the value, and a problem says so.
func (s Section) Faulty() bool { return s.faulty[s.Pointer] }

// Get is the member of that name, or an empty section at its place.
func (s Section) Get(name string) Section { return s.below(name, s.Value.Field(name)) }

// Items are the items of a list, or the members of an object, each at its
// place.
func (s Section) Items() []Section {
	items := make([]Section, 0, s.Value.Len())
	for i, item := range s.Value.Items() {
		items = append(items, s.below(strconv.Itoa(i), item))
	}
	for _, m := range s.Value.Members() {
		items = append(items, s.below(m.Name, m.Value))
	}
	return items
}

func (s Section) below(name string, v value.Value) Section {
	s.Value, s.Pointer = v, failure.PointerJoin(s.Pointer, name)
	return s
}

// text is the section as a string; a number or boolean is taken as its text.
func (s Section) text(fallback string) string {
	switch {
	case !s.Present():
		return fallback
	case !s.Value.IsScalar():
		s.Fault(failure.WrongType, "expected a string", "")
		return fallback
	default:
		return s.Value.Text()
	}
}

// int is the section as an integer. Numeric strings are integers too; a fraction
// is cut off.
func (s Section) int(fallback int) int {
	if s.Value.IsNull() {
		return fallback
	}
	i, ok := s.Value.Int()
	if !ok {
		if s.Present() {
			s.Fault(failure.WrongType, "expected an integer", "")
		}
		return fallback
	}
	return int(i)
}

// bool is the truth of the section.
func (s Section) bool(fallback bool) bool {
	if s.Value.IsNull() {
		return fallback
	}
	return !s.Value.Empty()
}

// Problem reports a problem with this section's value, unless the value has one
// already.
func (s Section) Problem(expected, hint failure.Text) {
	code := failure.WrongValue
	if s.Value.IsNull() {
		code = failure.MissingKey
	}
	s.Fault(code, expected, hint)
}

// Fault is Problem with a code of its own.
func (s Section) Fault(code failure.Code, expected, hint failure.Text) {
	if s.faulty[s.Pointer] {
		return
	}
	found := Describe(s.Pointer, s.Value)
	if code == failure.MissingKey || code == failure.MissingCredentials && !s.Value.IsScalar() {
		found = "" // what is missing stands elsewhere, or nowhere
	}
	s.problems.Add(failure.Problem{Code: code, Pointer: s.Pointer, Found: found, Expected: expected, Hint: hint})
}
