package engine

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// placeholder is a {token} in the endpoint of a child job, with the source of its value.
type placeholder struct {
	token    string // text between the braces, with the level: "2:id"
	level    int    // 1 is the parent row, 2 the row above the parent, and so on
	path     string
	compute  *expr.Expr // nil if the value is used unchanged
	function string     // name of the function in compute, or ""
	pointer  string
}

// The settings of a placeholder that is an object.
var (
	PlaceholderPath     = field.Text("path", "Path", "Path to the value in the parent's item.").Example(`"name"`).Must().As(field.Path)
	placeholderFunction = field.Text("function", "Function", "Function that is applied to the value. What `urlencode` and `rawurlencode` return is not encoded again.").Typed(&field.Type{Kinds: []string{"string"}, Message: "expected the name of a function"}).Example(`"urlencode"`)
	placeholderArgs     = field.Of("args", "Arguments", "Arguments of the function; `{\"placeholder\": \"value\"}` is the value.", &field.Type{Kinds: []string{"array", "object", "string", "number", "boolean"}}).Example(`[{"placeholder": "value"}]`)
)

// PlaceholderType returns the type of an entry of `placeholders`.
func PlaceholderType() *field.Type {
	return &field.Type{Name: "placeholder", Title: "Placeholder", Doc: "A path, or an object that passes the value at `path` through a function.",
		Kinds: []string{"string", "number", "boolean", "object"}, NotEmpty: []string{"object"}, Message: `expected a path or an object with "path" and "function"`,
		Fields: field.Fields(PlaceholderPath, placeholderFunction, placeholderArgs)}
}

// compilePlaceholders compiles `placeholders` of a child job. above is the number of jobs
// above it.
func compilePlaceholders(s config.Section, above int, vocabulary expr.Vocabulary) []placeholder {
	var all []placeholder
	for _, m := range s.Value.Members() {
		one := s.Get(m.Name)
		p := placeholder{token: m.Name, level: 1, path: m.Value.Text(), pointer: one.Pointer}
		if m.Value.Kind() == value.Object {
			p.path = PlaceholderPath.Of(one)
			if placeholderFunction.In(one).Present() {
				compiler := expr.Compiler{Vocabulary: vocabulary, Place: expr.InPlaceholders, Problems: s.Problems()}
				compute := compiler.Compile(m.Value, one.Pointer)
				p.compute, p.function = &compute, placeholderFunction.In(one).Value.Raw()
			}
		}
		if p.path == "" {
			one.Fault(failure.InvalidPlaceholder, "a placeholder needs the path of its value: a text, or an object with 'path' and 'function'", "")
		}
		if level, _, ok := strings.Cut(m.Name, ":"); ok {
			p.level, _ = strconv.Atoi(level) // an invalid number yields level 0, which is reported below
		}
		if p.level < 1 || p.level > above {
			one.Fault(failure.InvalidPlaceholder, failure.Text(fmt.Sprintf("the level of a placeholder must be between 1 (the parent) and %d", above)), "")
		}
		all = append(all, p)
	}
	return all
}

// placeholderValue is the value of a placeholder for one run of a child job: a scalar, or
// the list of values of a batch.
type placeholderValue struct {
	token string
	path  string
	value value.Value
	// column is the value of the parent column, without percent-encoding.
	column value.Value
	// encoded is true if the function of the placeholder percent-encodes the value.
	encoded bool
}

// filledWith returns the placeholder with a value. column is the value without
// percent-encoding.
func (p placeholder) filledWith(v, column value.Value) placeholderValue {
	return placeholderValue{token: p.token, path: p.path, value: v, column: column, encoded: p.compute != nil && p.compute.Encodes()}
}

// values returns the scalar, or the scalars of a batch.
func (f placeholderValue) values() []value.Value {
	if f.batch() {
		return f.value.Items()
	}
	return []value.Value{f.value}
}

func (f placeholderValue) batch() bool { return f.value.Kind() == value.Array }

// text returns the text for the endpoint. The values of a batch are separated by commas.
func (f placeholderValue) text() string {
	if !f.batch() {
		return f.value.Text()
	}
	var texts []string
	for _, v := range f.value.Items() {
		texts = append(texts, v.Text())
	}
	return strings.Join(texts, ",")
}

// combinations yields every combination of the placeholder values for one parent row. The
// last placeholder changes fastest. A list has a value for each item. rows are the rows
// above the child run, the direct parent first. combinations makes each combination when
// it is yielded, because three lists of a few hundred items have millions of
// combinations. It returns an error in any value before the first combination. It passes
// warnings about a computed value to warn, with the pointer of the expression.
func combinations(inherited []placeholderValue, own []placeholder, rows []value.Packed, warn func(pointer, text string)) (iter.Seq[[]placeholderValue], error) {
	all := make([]placeholderMatches, len(own))
	for i, p := range own {
		var err error
		if all[i], err = p.find(rows, warn); err != nil {
			return nil, err
		}
	}
	return func(yield func([]placeholderValue) bool) { combine(inherited, own, all, yield) }, nil
}

// combine yields the combinations that begin with c. It returns false if yield returned
// false.
func combine(c []placeholderValue, own []placeholder, all []placeholderMatches, yield func([]placeholderValue) bool) bool {
	if len(own) == 0 {
		return yield(c)
	}
	for i, v := range all[0].values {
		if !combine(withPlaceholder(c, own[0].filledWith(v, all[0].columns[i])), own[1:], all[1:], yield) {
			return false
		}
	}
	return true
}

// withPlaceholder returns a copy of a combination with one more placeholder, which
// replaces an inherited placeholder of the same name.
func withPlaceholder(c []placeholderValue, f placeholderValue) []placeholderValue {
	c = append(make([]placeholderValue, 0, len(c)+1), c...)
	for i := range c {
		if c[i].token == f.token {
			c[i] = f
			return c
		}
	}
	return append(c, f)
}

// placeholderMatches holds the values of a placeholder. columns are the same values without
// percent-encoding.
type placeholderMatches struct{ values, columns []value.Value }

// find returns the value of a placeholder, or a value for each item of a list.
func (p placeholder) find(rows []value.Packed, warn func(pointer, text string)) (placeholderMatches, error) {
	v, ok := rows[p.level-1].At(p.path, ".")
	if !ok {
		return placeholderMatches{}, failure.Userf("no value for the placeholder '%s': the parent row has no value at '%s'", p.token, p.path).At(p.pointer)
	}
	column, computed := v, p.compute != nil
	if computed {
		members := expr.Flatten(value.OfMembers(value.Member{Name: "value", Value: v}))
		var err error
		v, column, err = p.compute.EvalUnencoded(&expr.Scope{Contexts: map[expr.Context]expr.Members{expr.Placeholder: members}, Warn: warn})
		if err != nil {
			return placeholderMatches{}, err
		}
	}
	values := []value.Value{v}
	if v.Kind() == value.Array {
		values = v.Items()
	}
	all := placeholderMatches{values: values, columns: values}
	if computed && v.Kind() != value.Array {
		all.columns = []value.Value{column}
	}
	for _, v := range all.values {
		if k := v.Kind(); k == value.Object || k == value.Array {
			return placeholderMatches{}, failure.Userf("the value of the placeholder '%s' at '%s' is an %s, expected a text or a number", p.token, p.path, k).At(p.pointer)
		}
	}
	return all, nil
}

// filledEndpoint returns the endpoint of a child job with all placeholders filled in at
// the same time, so that values are not searched for tokens. A number is sent as in a
// query (1.50 as 1.5), because 1.0 may be the id 1 of the next request. The table keeps
// the number as the response wrote it. If the endpoint is an expression, it is returned
// unchanged and evaluated later.
func (j *job) filledEndpoint(values []placeholderValue) (string, error) {
	if j.ComputedEndpoint != nil {
		return j.Endpoint, nil
	}
	text, err := endpoint(j.Endpoint, values)
	if err != nil {
		return "", failure.Userf("%w", err).At(failure.PointerJoin(j.Pointer, config.JobEndpoint.Name))
	}
	return text, nil
}

func endpoint(template string, values []placeholderValue) (string, error) {
	if len(values) == 1 && !strings.Contains(template, "%") { // fast path for a plain id, by far the most frequent case
		if text := values[0].text(); httpclient.Harmless(text) {
			return strings.ReplaceAll(template, "{"+values[0].token+"}", text), nil
		}
	}
	return httpclient.Endpoint(piecesOf(template, values))
}

// piecesOf splits the template of an endpoint into texts and placeholders.
func piecesOf(template string, values []placeholderValue) []httpclient.Piece {
	var pieces []httpclient.Piece
	add := func(text string) {
		if text != "" {
			pieces = append(pieces, httpclient.Piece{Text: text})
		}
	}
	start := 0
	for at := 0; at < len(template); at++ {
		i := slices.IndexFunc(values, func(f placeholderValue) bool { return strings.HasPrefix(template[at:], "{"+f.token+"}") })
		if i < 0 {
			continue
		}
		add(template[start:at])
		pieces = append(pieces, values[i].piece(values[i].text()))
		start = at + len("{") + len(values[i].token) + len("}")
		at = start - 1
	}
	add(template[start:])
	return pieces
}

// piece returns the placeholder as a piece of an endpoint. text is its value, or a part
// of the value.
func (f placeholderValue) piece(text string) httpclient.Piece {
	return httpclient.Piece{Text: text, Value: true, Encoded: f.encoded, Name: "the placeholder '" + f.token + "'"}
}

// parentColumns returns the columns that link the rows of a child job to its parents. A
// batch has several parents and no column.
func parentColumns(values []placeholderValue) []mapping.Column {
	const prefix = "parent_"
	columns := make([]mapping.Column, 0, len(values))
	for _, f := range values {
		if f.batch() {
			continue
		}
		name := f.path
		if !strings.HasPrefix(name, prefix) {
			name = prefix + name
		}
		columns = append(columns, mapping.Column{Name: name, Value: f.column})
	}
	return columns
}

// evalEndpoint evaluates an endpoint. It returns the value and the text to send. Values
// in the text are percent-encoded.
func evalEndpoint(e *expr.Expr, pointer string, placeholders []placeholderValue, scope *expr.Scope) (v value.Value, text string, err error) {
	v, parts, err := e.Parts(scope)
	if err != nil {
		return v, "", err
	}
	if _, err = config.EndpointText(v, pointer); err != nil {
		return v, "", err
	}
	var pieces []httpclient.Piece
	for _, p := range parts {
		piece := httpclient.Piece{Text: p.Text, Value: p.Value, Encoded: p.Encoded, Name: "a value of the endpoint"}
		for _, f := range placeholders {
			if p.Placeholder == f.token && p.Placeholder != "" {
				piece = f.piece(p.Text)
			}
		}
		if p.Text != "" || p.Value {
			pieces = append(pieces, piece)
		}
	}
	if text, err = httpclient.Endpoint(pieces); err != nil {
		return v, "", failure.Userf("%w", err).At(pointer)
	}
	return v, text, nil
}

// itemsOf returns the values in the rows above a child job that its expressions refer to.
// It copies the values, because a row is valid only until the next row is read.
func itemsOf(child *job, parents []value.Packed) expr.Members {
	if len(child.parentItems) == 0 {
		return nil
	}
	items := make(expr.Members, len(child.parentItems))
	for _, name := range child.parentItems {
		if level, path := expr.SplitLevel(name); level <= len(parents) {
			items[name], _ = parents[level-1].At(path, ".")
		}
	}
	return items
}

// describeSource describes the source of a placeholder value of a child job.
func (p placeholder) describeSource(child *job) string {
	text := fmt.Sprintf("%s of %q", p.path, child.ancestor(p.level).name)
	if p.function != "" {
		text = "function " + p.function + " of " + text
	}
	return text
}

// combination returns the key of the remembered value for given placeholders. It returns
// false if one of the placeholders is missing.
func (m rememberEntry) combination(given []placeholderValue) (text string, ok bool) {
	values := make([]value.Value, 0, len(m.per))
	for _, name := range m.per {
		for _, f := range given {
			if f.token == name {
				values = append(values, f.value)
				break
			}
		}
	}
	return state.Combination(values), len(values) == len(m.per)
}
