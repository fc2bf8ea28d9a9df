package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unreachableResponses finds paths into the response of a login that cannot exist. A
// plain text is only at "data".
func unreachableResponses(s settings, found *failure.Problems) {
	if auth.Format.In(s.login).Value.Raw() != auth.FormatText {
		return
	}
	for _, p := range append(responses(auth.APIRequest.In(s.login)), auth.ExpiresPath.In(auth.Expires.In(s.login))) {
		if p.Value.Kind() == value.String && p.Value.Raw() != "data" {
			found.Add(failure.Problem{Code: failure.UnreachablePath, Pointer: p.Pointer, Found: failure.Part(p.Value.JSON()),
				Expected: "the response of the login is a text (\"format\"), which is only at \"data\"", Hint: "write \"data\", or set \"format\" to \"json\""})
		}
	}
}

// responses returns the paths in the expressions of a section that refer to the response
// of a login.
func responses(s config.Section) []config.Section {
	var all []config.Section
	walk(s, func(p config.Section) bool {
		if responded(p) {
			all = append(all, p.Get(string(expr.Response)))
		}
		return true
	})
	return all
}

func responded(p config.Section) bool { return refersTo(p, expr.Response) }

// refersTo reports whether a section is a reference into a context.
func refersTo(p config.Section, context expr.Context) bool {
	return p.Value.Len() == 1 && p.Value.Field(string(context)).Kind() == value.String
}

// unreachableItems finds paths into values that a response filter turns into text. It
// checks placeholders, recursion filters, row filters, cursors, remembered values,
// mappings, and later response filters.
func unreachableItems(s settings, found *failure.Problems) {
	report := func(p path, filter path) {
		found.Add(failure.Problem{Code: failure.UnreachablePath, Pointer: p.pointer, Found: failure.Part(value.OfString(p.text).JSON()),
			Expected: "there is nothing below " + failure.Part(strconv.Quote(filter.text)) + ", which " + failure.Part(filter.pointer) + " turns into text", Hint: "remove one of the two"})
	}
	for _, j := range s.jobs() {
		own := filters(j)
		for i, filter := range own {
			if before, ok := coveringFilter(withIndexes(filter), own[:i]); ok { // the earlier filter already makes a text
				report(filter, before)
			}
		}
		for _, p := range s.pathsInto(j) {
			if filter, ok := coveringFilter(p.path, filtersOf(j.above, p.level)); ok {
				report(p.path, filter)
			}
		}
		for _, p := range rememberedPaths(j) {
			if filter, ok := coveringFilter(p, own); ok {
				report(p, filter)
			}
		}
		for _, text := range condition.Parse(j.RowFilter.Value.Text()).Paths() {
			p := path{text, ".", j.RowFilter.Pointer}
			if filter, ok := coveringFilter(p, own); ok {
				report(p, filter)
			}
		}
		if idKey, ok := s.cursorOf(j); ok {
			if filter, ok := coveringFilter(idKey, own); ok {
				report(idKey, filter)
			}
		}
	}
	for _, m := range s.mappings() {
		reportColumns(m, report)
	}
}

// reportColumns reports the columns of a mapping that no job can fill.
func reportColumns(mapping *usedMapping, report func(p, filter path)) {
	for _, setting := range mapping.Items() {
		if isUserColumn(setting) {
			continue
		}
		p := columnPath(setting)
		var by path
		reached := slices.ContainsFunc(mapping.jobs, func(j jobChain) bool {
			filter, hidden := coveringFilter(p, filters(j))
			by = filter
			return !hidden
		})
		if !reached {
			report(p, by)
		}
	}
}

// pathAbove is a path into the item of a job above. Level 1 is the parent.
type pathAbove struct {
	path
	level int
}

// pathsInto returns the paths of a job into items of the jobs above: in placeholders, in
// references and in its recursion filter.
func (s settings) pathsInto(j jobChain) []pathAbove {
	var all []pathAbove
	for _, p := range j.Placeholders.Items() {
		level := 1
		if number, _, ok := strings.Cut(name(p), ":"); ok {
			level, _ = strconv.Atoi(number)
		}
		if p.Value.Kind() == value.Object {
			p = engine.PlaceholderPath.In(p)
		}
		for _, one := range texts(p, ".") {
			all = append(all, pathAbove{one, level})
		}
	}
	references := s.Compiled.Vocabulary.All().References
	for _, f := range config.JobExpressions() {
		at := s.job(j.Job).Get(f.Name)
		references.Walk(at.Value, at.Pointer, false, func(f expr.Form, pointer string) {
			if f.Is(expr.ParentItem) {
				level, text := expr.SplitLevel(f.Name.Raw())
				all = append(all, pathAbove{path{text, ".", failure.PointerJoin(pointer, string(expr.ParentItem))}, level})
			}
		})
	}
	for _, text := range condition.Parse(j.RecursionFilter).Paths() {
		all = append(all, pathAbove{path{text, ".", failure.PointerJoin(j.Pointer, config.JobRecursionFilter.Name)}, 1})
	}
	return all
}

// filtersOf returns the response filters of the job at a level above.
func filtersOf(jobs []config.Job, level int) []path {
	if level < 1 || level > len(jobs) {
		return nil
	}
	return filters(jobChain{Job: jobs[level-1]})
}

// cursorOf returns the path of the ids that the scroller of a job uses.
func (s settings) cursorOf(j jobChain) (path, bool) {
	m, own := s.methodOf(j)
	if m.IDPath == nil {
		return path{}, false
	}
	ids := texts(m.IDPath(own), ".")
	return append(ids, path{})[0], len(ids) > 0
}

// coveringFilter returns the first filter that turns a value on the path into text.
func coveringFilter(p path, filters []path) (path, bool) {
	for _, filter := range filters {
		if leadsBelow(p.segments(), strings.Split(filter.text, filter.separator)) {
			return filter, true
		}
	}
	return path{}, false
}

// withIndexes replaces "[]" in a filter by the index 0, as other paths have it.
func withIndexes(filter path) path {
	filter.text = strings.ReplaceAll(filter.text+filter.separator, "[]"+filter.separator, filter.separator+"0"+filter.separator)
	filter.text = strings.TrimSuffix(filter.text, filter.separator)
	return filter
}

// leadsBelow reports whether a path leads below the path of a filter. In the filter, "[]"
// matches every item of a list.
func leadsBelow(keys, filter []string) bool {
	for _, step := range filter {
		name, each := strings.CutSuffix(step, "[]")
		if len(keys) == 0 || keys[0] != name {
			return false
		}
		keys = keys[1:]
		if !each {
			continue
		}
		if len(keys) == 0 {
			return false
		}
		if _, err := strconv.Atoi(keys[0]); err != nil {
			return false
		}
		keys = keys[1:]
	}
	return len(keys) > 0
}
