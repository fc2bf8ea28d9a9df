package lint

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// path is a path of keys in an answer or in an item of it, as it is written.
type path struct {
	text, separator, pointer string
}

// segments are the keys of a path; none is the value itself.
func (p path) segments() []string {
	if p.text == p.separator {
		return nil
	}
	return strings.Split(p.text, p.separator)
}

// foreignPaths finds paths that are written as in JSONPath, JSON Pointer or a
// programming language: a key of that name is hardly ever there.
func foreignPaths(s settings, found *failure.Problems) {
	for _, p := range append(s.jobPaths(), s.apiPaths()...) {
		if hint := foreign(p); hint != "" {
			found.Add(failure.Problem{Code: failure.ForeignPath, Pointer: p.pointer,
				Expected: "hardly leads anywhere: keys are parted by " + failure.Part(strconv.Quote(p.separator)), Hint: hint})
		}
	}
}

// foreign says how a path is written here, "" when it is.
func foreign(p path) failure.Text {
	dots := p.separator == "."
	switch {
	case dots && strings.HasPrefix(p.text, "$.") && !strings.Contains(p.text, "["):
		return "leave out \"$.\""
	case dots && strings.HasSuffix(p.text, "[*]"):
		return "write " + failure.Part(strconv.Quote(strings.TrimSuffix(strings.TrimPrefix(p.text, "$."), "[*]"))) + ", the path of the list itself"
	case dots && strings.HasPrefix(p.text, "/") && len(p.text) > 1:
		return "write \"a.b\" instead of \"/a/b\""
	case dots && strings.Contains(p.text, "[") && indexed().MatchString(p.text):
		if strings.HasSuffix(p.pointer, "/responseFilter") {
			return "write \"a[]\", which means every item, instead of \"a[0]\""
		}
		return "write \"a.0\" instead of \"a[0]\""
	}
	for _, key := range p.segments() {
		if key == "" && p.text != "" {
			return "there is a key without a name: remove the " + failure.Part(strconv.Quote(p.separator)) + " at an end or one of two in a row"
		}
	}
	return ""
}

// indexed is a path with an index in brackets.
var indexed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\w\[\d+\]`) })

// jobPaths are the paths of jobs and mappings.
func (s settings) jobPaths() []path {
	var all []path
	for _, it := range s.iterations {
		for _, j := range it.jobs {
			job := s.at(j.Pointer)
			all = append(all, dataField(job)...)
			all = append(all, filters(j)...)
			all = append(all, placeholderPaths(job)...)
			for _, text := range conditions(j.RecursionFilter) {
				all = append(all, path{text, ".", job.get("recursionFilter").pointer})
			}
		}
		mappings := place{it.Mappings.Value, it.Mappings.Pointer}
		for _, mapping := range mappings.below() {
			all = append(all, columnPaths(mapping)...)
		}
	}
	return all
}

// dataField is the path of a job's data.
func dataField(job place) []path {
	field := job.get("dataField")
	if field.Kind() == value.Object {
		return texts(field.get("path"), or(field.Field("delimiter"), "."))
	}
	return texts(field, ".")
}

// filters are the paths of a job's response filter.
func filters(j family) []path {
	var all []path
	for _, text := range j.ResponseFilter {
		all = append(all, path{text, j.ResponseFilterDelimiter, failure.PointerJoin(j.Pointer, "responseFilter")})
	}
	return all
}

// placeholderPaths are the paths of a job's placeholders.
func placeholderPaths(job place) []path {
	var all []path
	for _, p := range job.get("placeholders").below() {
		if p.Kind() == value.Object {
			p = p.get("path")
		}
		all = append(all, texts(p, ".")...)
	}
	return all
}

// conditions are the paths that a recursion filter compares.
func conditions(filter string) []string {
	var all []string
	for condition := range strings.FieldsFuncSeq(filter, func(r rune) bool { return r == '&' || r == '|' }) {
		if end := strings.IndexAny(condition, "=!<>~"); end > 0 {
			all = append(all, condition[:end])
		}
	}
	return all
}

// columnPaths are the paths of a mapping, without those of user columns.
func columnPaths(mapping place) []path {
	var all []path
	for _, setting := range mapping.below() {
		if setting.Field("type").Raw() != "user" {
			all = append(all, path{setting.name(), or(setting.Field("delimiter"), "."), setting.pointer})
		}
		all = append(all, columnPaths(setting.get("tableMapping"))...)
	}
	return all
}

// apiPaths are the paths of paging and of the login.
func (s settings) apiPaths() []path {
	var all []path
	s.section("api").walk(func(p place) bool {
		switch p.name() {
		case "response", "responseParam", "idKey", "total", "totalPages":
			all = append(all, texts(p, ".")...)
		case "urlKey":
			scroller := s.at(p.pointer[:strings.LastIndexByte(p.pointer, '/')])
			all = append(all, texts(p, or(scroller.Field("delimiter"), "."))...)
		case "limitStop":
			all = append(all, texts(p.get("field"), ".")...)
		}
		return true
	})
	return all
}

// texts is the path that a value is, when it is a text.
func texts(p place, separator string) []path {
	if p.Kind() != value.String {
		return nil
	}
	return []path{{p.Raw(), separator, p.pointer}}
}
