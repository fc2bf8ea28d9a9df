package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// rememberEntry is a compiled entry of `remember`: a name with the value that a job
// leaves for the next run.
type rememberEntry struct {
	name      string
	pointer   string
	aggregate aggregate // aggregate of the values at path in the items
	path      string    // "" if the value is an expression
	value     expr.Expr // expression that is evaluated after the last page
	text      string    // JSON text of the expression
	per       []string  // placeholders, or nil for a single value
	ofLogin   bool      // true if the login remembers it
}

// aggregate selects the value to remember among the values of the items.
type aggregate string

const (
	greatest aggregate = "max"
	least    aggregate = "min"
	latest   aggregate = "last"
	earliest aggregate = "first"
)

// The settings of a value to remember that is not an expression.
var (
	RememberMax   = field.Text(string(greatest), "Greatest", "Path in the items: the greatest value there, or what was remembered before if that is greater.").Example(`"updated_at"`).As(field.Path)
	rememberMin   = field.Text(string(least), "Least", "Path in the items: the least value there, or what was remembered before if that is less.").Example(`"id"`).As(field.Path)
	rememberLast  = field.Text(string(latest), "Last", "Path in the items: the value in the last one.").Example(`"cursor"`).As(field.Path)
	rememberFirst = field.Text(string(earliest), "First", "Path in the items: the value in the first one.").Example(`"id"`).As(field.Path)
	RememberPer   = field.Of("per", "Per", "Child jobs: placeholders. One value is kept for each combination of their values.", field.ListOf(field.TextType)).Example(`["id"]`)
)

// pathForms returns the forms with a path, in the order of the reference.
func pathForms() []field.Setting[string] {
	return []field.Setting[string]{RememberMax, rememberMin, rememberLast, rememberFirst}
}

// RememberType returns the type of an entry of `remember`.
func RememberType() *field.Type {
	return &field.Type{Name: "remember", Title: "Value to remember", Doc: "A path in the items, under the key that says which of its values to keep; or an expression, which is evaluated after the last page: its `response` and `responseHeader` refer to that page. Both may have `per`.",
		Kinds: []string{"object"}, NotEmpty: []string{"object"}, AllowUnknown: true, Message: "expected an object such as {\"max\": \"PATH\"}, or an expression",
		Fields: field.Fields(RememberMax, rememberMin, rememberLast, rememberFirst, RememberPer)}
}

// RememberedPath returns the path in the items of an entry of `remember`. It returns
// false if the entry is an expression.
func RememberedPath(entry config.Section) (config.Section, bool) {
	for _, form := range pathForms() {
		if at := form.In(entry); at.Present() {
			return at, true
		}
	}
	return config.Section{}, false
}

// remembers compiles the `remember` entries of a job. It skips invalid entries.
func (c compiler) remembers(j config.Job) []rememberEntry {
	var all []rememberEntry
	for _, entry := range j.Remember.Items() {
		tokens := failure.PointerSplit(entry.Pointer)
		m := rememberEntry{name: tokens[len(tokens)-1], pointer: entry.Pointer}
		switch {
		case entry.Faulty() || entry.Value.Kind() != value.Object:
		case m.name == state.KeyIterations:
			reportInvalid(entry, "expected another name: the state stores the values of iterations under this name", "")
		case strings.TrimPrefix(m.name, "#") == "":
			reportInvalid(entry, "expected a name", "")
		default:
			m.per = compilePer(RememberPer.In(entry), j.Family)
			if c.compileForm(&m, entry, j) {
				all = append(all, m)
			}
		}
	}
	return all
}

// compilePer compiles `per`. It reports invalid placeholders and leaves them out.
func compilePer(s config.Section, of config.JobScope) []string {
	hint := failure.Text("a root job has none")
	switch {
	case len(of.Placeholders) > 0:
		hint = "there are " + field.List(of.Placeholders)
	case of.Jobs > 0:
		hint = "there are none"
	}
	var names []string
	for _, item := range s.Items() {
		name := item.Value.Text()
		switch {
		case !slices.Contains(of.Placeholders, name):
			if near, ok := failure.Nearest(name, of.Placeholders); ok {
				hint = "did you mean " + field.Quoted(near) + "?"
			}
			item.Fault(failure.InvalidRemember, "expected the name of a placeholder of this job or of a job above it", hint)
		case slices.Contains(names, name):
			item.Fault(failure.InvalidRemember, "expected each placeholder once", "")
		case slices.Contains(of.Lists, name):
			item.Fault(failure.InvalidRemember, "expected a placeholder with one value: this one has the values of a batch", "remove the batch to run the job for each value")
		default:
			names = append(names, name)
		}
	}
	return names
}

// compileForm compiles the value of an entry, a path with an aggregate or an expression. On
// failure it reports a problem and returns false.
func (c compiler) compileForm(m *rememberEntry, entry config.Section, j config.Job) bool {
	own := entry.Value.Without(RememberPer.Name)
	if at, ok := RememberedPath(entry); ok {
		tokens := failure.PointerSplit(at.Pointer)
		m.aggregate, m.path = aggregate(tokens[len(tokens)-1]), at.Value.Text()
		if own.Len() > 1 {
			reportInvalid(entry, "expected one form", "give each value a name of its own: "+shape)
			return false
		}
		return true
	}
	references := c.doc.Vocabulary.All().References.At(expr.InRemember)
	if _, ok := references.Parse(own, true); !ok {
		reportInvalid(entry, "expected "+shape, spellingHint(own, references))
		return false
	}
	compiler := j.Family.Compiler(expr.InRemember, c.it.attributes, c.doc.Vocabulary, entry.Problems())
	compiler.Exact = true
	m.value, m.text = compiler.Compile(own, entry.Pointer), own.JSON()
	secret := slices.ContainsFunc(m.value.References(expr.Attr), func(name string) bool { return c.it.attributes[name].Secret() }) ||
		slices.ContainsFunc(m.value.References(expr.Remembered), state.Secret)
	if secret && !state.Secret(m.name) {
		reportInvalid(entry, "expected a name with a hash sign, because the value is computed from a secret, which the state would show", "write "+field.Quoted("#"+m.name))
		return false
	}
	return true
}

// reportInvalid reports a problem with an entry or an iteration. The problem does not
// describe the found value, because it is an object.
func reportInvalid(s config.Section, expected, hint failure.Text) {
	s.Problems().Add(failure.Problem{Code: failure.InvalidRemember, Pointer: s.Pointer, Expected: expected, Hint: hint})
}

// shape describes the forms of an entry.
const shape failure.Text = `{"max": "PATH"}, {"min": "PATH"}, {"last": "PATH"}, {"first": "PATH"}, or an expression such as {"response": "PATH"}`

// spellingHint returns a hint with the most similar known key, or "".
func spellingHint(v value.Value, references expr.References) failure.Text {
	known := references.Keys()
	for _, form := range pathForms() {
		known = append(known, form.Name)
	}
	for _, member := range v.Members() {
		if near, ok := failure.Nearest(member.Name, known); ok && near != member.Name {
			return "did you mean " + field.Quoted(near) + "?"
		}
	}
	return ""
}

// allRemembers returns the distinct names that the jobs of the iteration and then its login
// remember. It reports entries that share a name and do not agree about its meaning.
func (c compiler) allRemembers() []rememberEntry {
	var all []rememberEntry
	first := func(name string) int {
		return slices.IndexFunc(all, func(other rememberEntry) bool { return other.name == name })
	}
	for _, j := range withChildren(c.it.jobs) {
		for _, m := range j.remembers {
			i := first(m.name)
			switch {
			case i < 0:
				all = append(all, m)
			case m.aggregate != greatest && m.aggregate != least || m.aggregate != all[i].aggregate || !slices.Equal(m.per, all[i].per):
				reportInvalid(field.NewSection(value.Value{}, m.pointer, j.Problems()), "expected another name: "+failure.Part(all[i].pointer)+" has this one",
					`two jobs may share a name with "max", or with "min", and the same "per"`)
			}
		}
	}
	for _, m := range auth.Remembered(c.it.auth) {
		if i := first(m.Name); i >= 0 {
			at := field.NewSection(c.doc.Root.Value.Lookup(failure.PointerSplit(m.Pointer)), m.Pointer, c.doc.Root.Problems())
			at.Fault(failure.InvalidRemember, "expected another name: "+failure.Part(all[i].pointer)+" has this one", "")
			continue
		}
		all = append(all, rememberEntry{name: m.Name, pointer: m.Pointer, ofLogin: true})
	}
	return all
}

// aggregateTexts describe the aggregates of the values at a path.
var aggregateTexts = map[aggregate]string{
	greatest: "the greatest value at %q in the items, or what was remembered before if that is greater",
	least:    "the least value at %q in the items, or what was remembered before if that is less",
	latest:   "the value at %q in the last item",
	earliest: "the value at %q in the first item",
}

// describe returns a sentence that describes the remembered value.
func (m rememberEntry) describe() string {
	text := "the value of " + m.text + " after the last page"
	if m.path != "" {
		text = fmt.Sprintf(aggregateTexts[m.aggregate], m.path)
	}
	if len(m.per) > 0 {
		text += ", one for each " + strings.Join(m.per, ", ")
	}
	return m.name + ": " + text + "."
}
