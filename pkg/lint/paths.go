package lint

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// path is a path of keys in a response or in an item, as written in the document.
type path struct {
	text, separator, pointer string
}

func (p path) isDataPath() bool {
	at := "/" + config.JobDataField.Name
	return strings.HasSuffix(p.pointer, at) || strings.HasSuffix(p.pointer, at+"/"+config.DataFieldPath.Name)
}

// segments returns the keys of the path. It returns nil for the path of the whole value.
func (p path) segments() []string {
	if p.text == p.separator {
		return nil
	}
	return slices.Collect(value.Segments(p.text, p.separator))
}

// foreignPaths finds paths in the syntax of JSONPath, JSON Pointer or a programming
// language. Keys with such a name are rare.
func foreignPaths(s settings, found *failure.Problems) {
	for _, p := range append(s.jobPaths(), s.apiPaths()...) {
		if hint := foreignHint(p); hint != "" {
			found.Add(failure.Problem{Code: failure.ForeignPath, Pointer: p.pointer,
				Expected: "probably leads nowhere: keys are separated by " + failure.Part(strconv.Quote(p.separator)), Hint: hint})
		}
	}
}

// foreignHint returns a hint if a path is in a foreign syntax, otherwise "".
func foreignHint(p path) failure.Text {
	dots := p.separator == "."
	switch {
	case dots && strings.HasPrefix(p.text, "$.") && !strings.Contains(p.text, "["):
		return "leave out \"$.\""
	case dots && strings.HasSuffix(p.text, "[*]"):
		return "write " + failure.Part(strconv.Quote(strings.TrimSuffix(strings.TrimPrefix(p.text, "$."), "[*]"))) + ", the path of the list itself"
	case dots && strings.HasPrefix(p.text, "/") && len(p.text) > 1:
		return "write \"a.b\" instead of \"/a/b\""
	case dots && strings.Contains(p.text, "[") && indexed().MatchString(p.text):
		if strings.HasSuffix(p.pointer, "/"+config.JobResponseFilter.Name) {
			return "write \"a[]\", which means every item, instead of \"a[0]\""
		}
		return "write \"a.0\" instead of \"a[0]\", and \"a.-1\" for the last item"
	case !strings.HasSuffix(p.pointer, "/"+config.JobResponseFilter.Name):
		if hint := selectionHint(p); hint != "" {
			return hint
		}
	}
	for _, key := range p.segments() {
		if key == "" && p.text != "" {
			return "a key has an empty name: remove the " + failure.Part(strconv.Quote(p.separator)) + " at the beginning or end, or one of two in a row"
		}
	}
	return ""
}

// selectionHint returns a hint if the selection of an item of a list is in a foreign syntax,
// otherwise "".
func selectionHint(p path) failure.Text {
	for _, key := range p.segments() {
		s, ok := value.ParseSelector(key)
		switch {
		case key == response.EveryItem && p.isDataPath():
		case key == response.EveryItem:
			return "only \"dataField\" can lead to every item of a list; here choose one: \"a.0\", \"a.-1\", \"a.[name=value]\""
		case ok && strings.HasPrefix(s.Path, "?"), !ok && strings.HasPrefix(key, "["):
			return "an item of a list is chosen by \"a.[name=value]\", or by its index: \"a.0\", \"a.-1\""
		case ok && len(s.Text) > 1 && strings.ContainsAny(s.Text[:1], `"'`) && s.Text[:1] == s.Text[len(s.Text)-1:]:
			return "leave out the quotes: \"[name=value]\""
		case !ok && glued().MatchString(key):
			return "write \"a" + failure.Part(p.separator) + "[name=value]\" instead of \"a[name=value]\""
		}
	}
	return ""
}

// indexed matches a path with an index in brackets.
var (
	indexed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\w\[-?\d+\]`) })
	// glued matches the beginning of a segment with a name and a selector that no
	// separator divides.
	glued = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^\[]+\[[^\[\]=]+=`) })
)

// oddConditions finds comparisons with blanks beside the operator or with quotes around
// the text. Both belong to the path or the text and are compared.
func oddConditions(s settings, found *failure.Problems) {
	s.Language.Tree.Visit(s.Compiled.Root.Value, "", func(f *field.Field, at, _ config.Section) bool {
		if f.Role != field.Condition && f != config.JobRowFilter.Field && f != config.JobRecursionFilter.Field {
			return true
		}
		c := condition.Parse(at.Value.Text())
		switch {
		case f.Role != field.Condition && slices.ContainsFunc(c.Paths(), condition.NamesHeader):
			found.Add(failure.Problem{Code: failure.ForeignPath, Pointer: at.Pointer,
				Expected: "probably matches nothing: this condition is about items, which have no headers", Hint: "header(NAME) is for conditions on responses: \"when\" of rules and \"stopWhen\""})
		case slices.ContainsFunc(c.Paths(), func(path string) bool { return strings.TrimSpace(path) != path }):
			found.Add(failure.Problem{Code: failure.ForeignPath, Pointer: at.Pointer,
				Expected: "probably matches nothing: spaces beside an operator are part of the path and of the text", Hint: "write the condition without spaces and quotes: a==b"})
		case slices.ContainsFunc(c.Texts(), inQuotes):
			found.Add(failure.Problem{Code: failure.ForeignPath, Pointer: at.Pointer,
				Expected: "probably never equal: the quotes are part of the text that is compared", Hint: "write the text without quotes: a==b"})
		}
		return true
	})
}

// booleanWords finds recursion filters that compare with "true" or "false". The original
// extractor compares a boolean as the text "1" or "".
func booleanWords(s settings, found *failure.Problems) {
	s.Language.Tree.Visit(s.Compiled.Root.Value, "", func(f *field.Field, at, _ config.Section) bool {
		if f != config.JobRecursionFilter.Field {
			return true
		}
		if right := condition.Parse(at.Value.Text()).Rewritten(); len(right) > 0 {
			found.Add(failure.Problem{Code: failure.BooleanWord, Pointer: at.Pointer,
				Expected: "probably not intended: a boolean is compared as the text 1 if it is true, and as an empty text if it is false",
				Hint:     "if the value is a boolean, write " + failure.Part(strings.Join(right, " and "))})
		}
		return true
	})
}

func inQuotes(text string) bool {
	return len(text) >= 2 && text[0] == text[len(text)-1] && strings.ContainsAny(text[:1], `"'`)
}

// jobPaths returns the paths in jobs and mappings.
func (s settings) jobPaths() []path {
	var all []path
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			all = append(append(append(all, dataField(s.job(j.Job))...), filters(j)...), rememberedPaths(j)...)
			for _, p := range s.pathsInto(j) {
				all = append(all, p.path)
			}
		}
		for _, m := range it.Mappings.Items() {
			all = append(all, columnPaths(m)...)
		}
	}
	return all
}

func dataField(job config.Section) []path {
	at := config.JobDataField.In(job)
	if at.Value.Kind() == value.Object {
		separator := config.DataFieldDelimiter.Of(at)
		return append(texts(config.DataFieldPath.In(at), separator), namePaths(config.DataFieldColumns.In(at), separator)...)
	}
	return texts(at, ".")
}

// namePaths returns the paths to column names. It splits a path at "[]" into the path of
// a list and the path in its items.
func namePaths(columns config.Section, separator string) []path {
	all := []config.Section{columns}
	if columns.Value.Kind() == value.Object {
		all = columns.Items()
	}
	var paths []path
	for _, at := range all {
		for _, p := range texts(at, separator) {
			for _, part := range strings.Split(p.text, separator+response.EveryItem+separator) {
				paths = append(paths, path{part, separator, p.pointer})
			}
		}
	}
	return paths
}

func filters(j jobChain) []path {
	var all []path
	for _, text := range j.ResponseFilter {
		all = append(all, path{text, j.ResponseFilterDelimiter, failure.PointerJoin(j.Pointer, config.JobResponseFilter.Name)})
	}
	return all
}

// columnPaths returns the paths of a mapping, without user columns.
func columnPaths(entries config.Section) []path {
	var all []path
	for _, setting := range entries.Items() {
		if !isUserColumn(setting) {
			all = append(all, columnPath(setting))
			all = append(all, texts(mapping.OtherPath.In(setting), mapping.Delimiter.Of(setting))...)
		}
		all = append(all, columnPaths(mapping.TableMapping.In(setting))...)
	}
	return all
}

func columnPath(setting config.Section) path {
	return path{name(setting), mapping.Delimiter.Of(setting), setting.Pointer}
}

// apiPaths returns the paths in pagination, in rules and in the login, expressions
// included.
func (s settings) apiPaths() []path {
	var all []path
	s.Language.Tree.Visit(s.Compiled.Root.Value, "", func(f *field.Field, at, around config.Section) bool {
		separator := "."
		if f.Separator != nil {
			separator = f.Separator.Of(around)
		}
		switch {
		case !strings.HasPrefix(at.Pointer, s.api.Pointer+"/") && !strings.Contains(at.Pointer, "/"+config.JobRules.Name+"/"):
		case f.Role == field.Path:
			all = append(all, texts(at, separator)...)
		case f.Role == field.Condition:
			for _, text := range condition.ParseResponse(at.Value.Text()).Paths() {
				all = append(all, path{text, ".", at.Pointer})
			}
		case f.Type == config.ExpressionsType:
			for _, p := range responses(at) {
				all = append(all, texts(p, ".")...)
			}
		}
		return true
	})
	return all
}

// texts returns the path in a section, or nil if the section is not a text.
func texts(s config.Section, separator string) []path {
	if s.Value.Kind() != value.String {
		return nil
	}
	return []path{{s.Value.Raw(), separator, s.Pointer}}
}
