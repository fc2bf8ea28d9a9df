package field

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Section is a part of the document for the package that compiles it, such as a scroller,
// an authentication or a mapping. It contains the value, its JSON pointer, and the list
// of all problems of the document.
//
// Getters convert the same values as the original extractor: numeric strings to numbers,
// any scalar to a boolean. They report any other value and return the default, so that
// compiling finds further problems.
type Section struct {
	Value    value.Value
	Pointer  string
	problems *failure.Problems
	faulty   map[string]bool // see CheckedDocument
}

// NewSection returns a section. problems must not be nil.
func NewSection(v value.Value, pointer string, problems *failure.Problems) Section {
	return Section{Value: v, Pointer: pointer, problems: problems}
}

// Problems returns the list of problems of the document.
func (s Section) Problems() *failure.Problems { return s.problems }

// Present reports whether the value is not empty.
func (s Section) Present() bool { return !s.Value.Empty() }

// Faulty reports whether Tree.Read has rejected the value. Missing keys do not count.
func (s Section) Faulty() bool { return s.faulty[s.Pointer] }

// Get returns the named member. If it is absent, the section has the value null.
func (s Section) Get(name string) Section { return s.child(name, s.Value.Field(name)) }

// Items returns the items of a list or the members of an object.
func (s Section) Items() []Section {
	items := make([]Section, 0, s.Value.Len())
	for i, item := range s.Value.Items() {
		items = append(items, s.child(strconv.Itoa(i), item))
	}
	for _, m := range s.Value.Members() {
		items = append(items, s.child(m.Name, m.Value))
	}
	return items
}

func (s Section) child(name string, v value.Value) Section {
	s.Value, s.Pointer = v, failure.PointerJoin(s.Pointer, name)
	return s
}

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

// int returns the value as an integer without its fraction.
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

// duration returns a number of seconds as a duration. It reports a negative number.
func (s Section) duration(fallback time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(s.Value.Raw()), 64)
	switch {
	case s.Faulty() || err != nil && !errors.Is(err, strconv.ErrRange):
		return fallback
	case n < 0:
		s.Problem("expected a number of seconds above 0", "")
		return fallback
	default:
		return Duration(n)
	}
}

// Duration converts a number of seconds to a duration, limited to the maximum duration.
func Duration(seconds float64) time.Duration {
	if seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second))
}

func (s Section) bool(fallback bool) bool {
	if s.Value.IsNull() {
		return fallback
	}
	return !s.Value.Empty()
}

// Problem reports a problem with the value, unless Tree.Read has rejected the value.
func (s Section) Problem(expected, hint failure.Text) {
	code := failure.WrongValue
	if s.Value.IsNull() {
		code = failure.MissingKey
	}
	s.Fault(code, expected, hint)
}

// Fault reports a problem with the given code, unless Tree.Read has rejected the value.
func (s Section) Fault(code failure.Code, expected, hint failure.Text) {
	if s.faulty[s.Pointer] {
		return
	}
	found := Describe(s.Pointer, s.Value)
	if code == failure.MissingKey || code == failure.MissingCredentials && !s.Value.IsScalar() {
		found = "" // the value is absent
	}
	s.problems.Add(failure.Problem{Code: code, Pointer: s.Pointer, Found: found, Expected: expected, Hint: hint})
}
