package field

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// CheckedDocument is the result of Tree.Read.
type CheckedDocument struct {
	// Value is the document without unknown keys. Empty values are replaced, see
	// Field.Empty.
	Value    value.Value
	Warnings failure.Problems
	// Unknown contains the keys without a field, in the order of the document.
	Unknown  []Key
	tree     *Tree
	problems *failure.Problems
	// faulty contains the pointers of rejected values. Each value gets only one problem,
	// in addition to problems with missing keys.
	faulty map[string]bool
}

// Key is an unknown key with the known keys of its object.
type Key struct {
	Pointer, Name string
	Known         []string
	at            *Type
}

// Read checks a document and reports values that violate the types. As in PHP, an empty
// list equals an empty object. An empty value counts as absent unless its field defines
// its meaning.
func (t *Tree) Read(v value.Value, problems *failure.Problems) *CheckedDocument {
	d := &CheckedDocument{tree: t, problems: problems, faulty: map[string]bool{}}
	d.Value = d.read(v, t.root, "")
	return d
}

// Section returns the whole document as a section.
func (d *CheckedDocument) Section() Section {
	return Section{Value: d.Value, problems: d.problems, faulty: d.faulty}
}

// read checks the value at a pointer and returns its meaning.
func (d *CheckedDocument) read(v value.Value, t *Type, pointer string) value.Value {
	meant := d.meaningOf(v, t, pointer)
	d.check(meant, v, t, pointer)
	return meant
}

// meaningOf returns the meaning of the value at a pointer. It checks only the values
// inside.
func (d *CheckedDocument) meaningOf(v value.Value, t *Type, pointer string) value.Value {
	base := t.base()
	switch {
	case base == nil:
		return v
	case v.Kind() == value.Array && v.Len() == 0 && !t.allows(value.Array) && t.allows(value.Object):
		return value.OfMembers()
	case v.Kind() == value.Object && v.Len() == 0 && !t.allows(value.Object) && t.allows(value.Array):
		return value.OfItems()
	case base.IsSingleItem != nil && base.IsSingleItem(v):
		if problem := base.AloneFault; problem != nil {
			d.addProblem(base, problem.Code, pointer, v, problem.Expected, problem.Hint)
			return value.OfItems()
		}
		return d.read(v, base.Others, pointer)
	case v.Kind() == value.Object:
		return d.members(v, t, pointer)
	case v.Kind() == value.Array && base.Items != nil:
		items := make([]value.Value, 0, v.Len())
		for _, item := range (Section{Value: v, Pointer: pointer}).Items() {
			items = append(items, d.read(item.Value, base.Items, item.Pointer))
		}
		return value.OfItems(items...)
	case v.Kind() == value.String && base.IgnoreCase:
		for _, choice := range base.Choices {
			if strings.EqualFold(choice.Name, v.Raw()) {
				return value.OfString(choice.Name)
			}
		}
	}
	return v
}

func (d *CheckedDocument) members(v value.Value, t *Type, pointer string) value.Value {
	var kept []value.Member
	base, required := t.base(), t.required()
	var known []string
	for _, m := range v.Members() {
		at := failure.PointerJoin(pointer, m.Name)
		f := base.Field(m.Name)
		switch {
		case f != nil && f.meaning(m.Value) != nil:
			m.Value = *f.meaning(m.Value)
		case f != nil:
			given := m.Value
			m.Value = d.meaningOf(given, f.Type, at)
			if f.absent(m.Value, given.Empty(), slices.Contains(required, m.Name)) {
				continue
			}
			d.check(m.Value, given, f.Type, at)
			if f.Deprecated != "" {
				d.Warnings.Add(failure.Problem{Code: failure.OldForm, Pointer: at, Expected: f.Deprecated})
			}
		case base.Others != nil:
			m.Value = d.read(m.Value, base.Others, at)
		case len(base.Fields) > 0 && !base.AllowUnknown && !strings.HasPrefix(m.Name, "__"):
			if known == nil {
				known = base.names()
			}
			d.Unknown = append(d.Unknown, Key{at, m.Name, known, base})
			continue
		}
		kept = append(kept, m)
	}
	return value.OfMembers(kept...)
}

// absent reports whether a member counts as absent. Null and the empty string do. If the
// member is not required, an empty value of another type does, and an empty object with
// required keys. empty reports whether the value was empty before unknown keys were
// removed.
func (f *Field) absent(v value.Value, empty, required bool) bool {
	t := f.Type.base()
	if t == nil {
		return false
	}
	switch {
	case v.IsNull():
		return len(t.Kinds) > 0
	case len(t.Kinds) == 1 && t.Kinds[0] == "boolean":
		return false // it must be a boolean
	case v.Kind() == value.String && v.Raw() == "":
		return len(t.Kinds) > 0 && len(t.NotEmpty) == 0
	case required || !empty:
		return false
	case !t.allows(v.Kind()):
		return true
	default:
		return v.Kind() == value.Object && len(f.Type.required()) > 0 && len(t.NotEmpty) == 0
	}
}

// check checks a value without its members and items. v is its meaning, given the value
// in the document.
func (d *CheckedDocument) check(v, given value.Value, t *Type, pointer string) {
	base := t.base()
	if base == nil {
		return
	}
	if !base.hasKind(v) {
		d.wrongType(given, base, pointer)
		return
	}
	lost := base.OnlyUnknownKeys != "" && given.Kind() == value.Object && given.Len() > 0 && v.Len() == 0
	choices := base.choices()
	for _, c := range base.Choices {
		if c.Old != "" && v.Raw() == c.Name {
			d.Warnings.Add(failure.Problem{Code: failure.OldForm, Pointer: pointer, Expected: c.Old})
		}
	}
	switch {
	case v.Kind() == value.String && len(choices) > 0 && !slices.Contains(choices, v.Raw()):
		d.addProblem(base, failure.UnknownChoice, pointer, given, "expected one of "+List(choices), choiceHint(base, given.Raw()))
	case v.Kind() == value.String && base.Pattern != nil && !base.Pattern.matcher().MatchString(v.Raw()):
		d.addProblem(base, failure.WrongValue, pointer, given, base.Message, cmp.Or(secondsHint(pointer, given), base.Hint))
	}
	switch {
	case lost:
		d.problems.Add(failure.Problem{Code: failure.MissingKey, Pointer: pointer, Expected: base.OnlyUnknownKeys})
	case v.Kind() == value.Object:
		for _, name := range t.required() {
			if _, ok := v.Get(name); !ok {
				d.problems.Add(failure.Problem{Code: failure.MissingKey, Pointer: pointer, Expected: "expected the key " + OwnName(name), Hint: Misspelt(given, name, t)})
			}
		}
	}
	if lost || !slices.Contains(base.NotEmpty, v.Kind().String()) {
		return
	}
	switch {
	case v.Kind() == value.String && v.Raw() == "", v.Kind() == value.Array && v.Len() == 0,
		v.Kind() == value.Object && v.Len() == 0 && len(t.required()) == 0: // otherwise missing keys are reported
		d.addProblem(base, failure.WrongValue, pointer, given, base.Message, "")
	}
}

// hasKind reports whether a value has one of the type's kinds. An integer may have a
// fraction of zero.
func (t *Type) hasKind(v value.Value) bool {
	if len(t.Kinds) == 0 || t.allows(v.Kind()) && v.Kind() != value.Number {
		return true
	}
	if v.Kind() != value.Number || slices.Contains(t.Kinds, "number") {
		return v.Kind() == value.Number
	}
	f, _ := v.Float()
	return slices.Contains(t.Kinds, "integer") && (f == math.Trunc(f) || math.IsInf(f, 0))
}

func (d *CheckedDocument) wrongType(given value.Value, t *Type, pointer string) {
	message := t.Message
	if choices := t.choices(); len(choices) > 0 {
		message = "expected one of " + List(choices)
	} else if message == "" {
		message = failure.Text("expected " + phrase(t.Kinds))
	}
	d.addProblem(t, failure.WrongType, pointer, given, message, typeHint(pointer, given, t))
}

// addProblem adds a problem with a value of type t, unless its pointer has one.
func (d *CheckedDocument) addProblem(t *Type, code failure.Code, pointer string, found value.Value, expected, hint failure.Text) {
	if d.faulty[pointer] {
		return
	}
	d.faulty[pointer] = true
	d.problems.Add(failure.Problem{Code: code, Pointer: pointer, Found: t.describeAs(pointer, found), Expected: expected, Hint: hint})
}

// phrase formats kinds for a message.
func phrase(kinds []string) string {
	names := map[string]string{
		"object": "an object", "array": "a list", "string": "a string", "number": "a number",
		"integer": "an integer", "boolean": "true or false",
	}
	words := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		words = append(words, names[kind])
	}
	return strings.Join(words, " or ")
}
