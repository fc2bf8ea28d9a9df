package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unreachableAnswers finds paths of a login's answer that no answer can have:
// of a plain text there is nothing but "data".
func unreachableAnswers(s settings, found *failure.Problems) {
	login := s.section("api", "authentication")
	if login.Field("format").Raw() != "text" {
		return
	}
	report := func(p place) {
		if p.Kind() == value.String && p.Raw() != "data" {
			found.Add(failure.Problem{Code: failure.UnreachablePath, Pointer: p.pointer, Found: failure.Part(p.JSON()),
				Expected: "the answer of the login is a text (\"format\"), which is found at \"data\" only", Hint: "write \"data\", or set \"format\" to \"json\""})
		}
	}
	for _, part := range login.get("apiRequest").below() {
		for _, entry := range part.below() {
			entry.walk(func(p place) bool {
				if answered(p) {
					report(p.get("response"))
				}
				return true
			})
		}
	}
	report(login.get("expires").get("response"))
}

// answered tells whether an expression refers to the answer of a login.
func answered(p place) bool {
	return p.Len() == 1 && p.Field("response").Kind() == value.String
}

// unreachableItems finds paths into what a response filter has turned into
// text: of placeholders, recursion filters, cursors, mappings, and of filters
// that come later.
func unreachableItems(s settings, found *failure.Problems) {
	report := func(p path, filter path) {
		found.Add(failure.Problem{Code: failure.UnreachablePath, Pointer: p.pointer, Found: failure.Part(value.OfString(p.text).JSON()),
			Expected: "there is nothing below " + failure.Part(strconv.Quote(filter.text)) + ", which " + failure.Part(filter.pointer) + " turns into text", Hint: "remove one of the two"})
	}
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			own := filters(j)
			for i, filter := range own {
				if before, ok := covered(plain(filter), own[:i]); ok { // a later filter finds text
					report(filter, before)
				}
			}
			for _, p := range s.pathsInto(j) {
				if filter, ok := covered(p.path, filtersOf(j.above, p.level)); ok {
					report(p.path, filter)
				}
			}
			if idKey, ok := s.cursorOf(j.Job); ok {
				if filter, ok := covered(idKey, own); ok {
					report(idKey, filter)
				}
			}
		}
	}
	for _, mapping := range s.mappings() {
		reportColumns(mapping, report)
	}
}

// reportColumns finds the columns of a mapping that none of the jobs which
// feed it can fill.
func reportColumns(mapping *fed, report func(p, filter path)) {
	for _, setting := range mapping.below() {
		if setting.Field("type").Raw() == "user" {
			continue
		}
		p := path{setting.name(), or(setting.Field("delimiter"), "."), setting.pointer}
		var by path
		reached := slices.ContainsFunc(mapping.jobs, func(j family) bool {
			filter, hidden := covered(p, filters(j))
			by = filter
			return !hidden
		})
		if !reached {
			report(p, by)
		}
	}
}

// pathAbove is a path into the item of a job above: 1 is the parent.
type pathAbove struct {
	path
	level int
}

// pathsInto are the paths of a child job into the items above it.
func (s settings) pathsInto(j family) []pathAbove {
	var all []pathAbove
	for _, p := range s.at(j.Pointer).get("placeholders").below() {
		level := 1
		if number, _, ok := strings.Cut(p.name(), ":"); ok {
			level, _ = strconv.Atoi(number)
		}
		if p.Kind() == value.Object {
			p = p.get("path")
		}
		for _, one := range texts(p, ".") {
			all = append(all, pathAbove{one, level})
		}
	}
	for _, text := range conditions(j.RecursionFilter) {
		all = append(all, pathAbove{path{text, ".", failure.PointerJoin(j.Pointer, "recursionFilter")}, 1})
	}
	return all
}

// filtersOf are the response filters of the job at a level above.
func filtersOf(jobs []config.Job, level int) []path {
	if level < 1 || level > len(jobs) {
		return nil
	}
	return filters(family{Job: jobs[level-1]})
}

// cursorOf is the path of the cursor that pages a job.
func (s settings) cursorOf(j config.Job) (path, bool) {
	scroller := s.scrollerFor(j)
	idKey := texts(scroller.get("idKey"), ".")
	if scroller.Field("method").Raw() != "cursor" || len(idKey) == 0 {
		return path{}, false
	}
	return idKey[0], true
}

// covered tells whether a path goes into what one of the filters has turned
// into text, and into which.
func covered(p path, filters []path) (path, bool) {
	for _, filter := range filters {
		if below(p.segments(), strings.Split(filter.text, filter.separator)) {
			return filter, true
		}
	}
	return path{}, false
}

// plain is a filter whose "every item" is an index, as in other paths.
func plain(filter path) path {
	filter.text = strings.ReplaceAll(filter.text+filter.separator, "[]"+filter.separator, filter.separator+"0"+filter.separator)
	filter.text = strings.TrimSuffix(filter.text, filter.separator)
	return filter
}

// below tells whether a path leads below the end of a filter's path, in which
// "[]" means every item of a list.
func below(keys, filter []string) bool {
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
