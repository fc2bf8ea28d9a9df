package lint

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// at is the value at a JSON pointer, null when there is none.
func at(v value.Value, pointer string) value.Value {
	if pointer == "" {
		return v
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		if v.Kind() == value.Array {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= v.Len() {
				return value.Value{}
			}
			v = v.Items()[i]
			continue
		}
		v = v.Field(strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	return v
}

// unusedMappings finds mappings whose data type no job of any iteration has.
func unusedMappings(s settings, found *failure.Problems) {
	used := map[string]bool{}
	var unused []failure.Problem
	for _, it := range s.Compiled.Iterations {
		var types []string
		for _, j := range jobs(it) {
			types = append(types, j.DataType)
		}
		for _, m := range it.Mappings.Value.Members() {
			pointer := it.Mappings.Get(m.Name).Pointer
			if slices.Contains(types, m.Name) {
				used[pointer] = true
				continue
			}
			unused = append(unused, failure.Problem{Code: failure.UnusedMapping, Pointer: pointer,
				Expected: "no job has this data type, the mapping is not used", Hint: didYouMean(m.Name, types)})
		}
	}
	for _, p := range unused {
		if !used[p.Pointer] {
			found.Add(p)
		}
	}
}

// token is a {name} of an endpoint. What looks like {{name}} is a variable, and
// JSON in an endpoint has quotes.
var token = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^{])\{([\w.:-]+)\}($|[^}])`)
})

// unfilledPlaceholders finds a {name} in an endpoint that no placeholder of the
// job or of a job above it fills.
func unfilledPlaceholders(s settings, found *failure.Problems) {
	for _, it := range s.Compiled.Iterations {
		for _, j := range jobs(it) {
			var known []string
			for _, m := range j.Placeholders.Value.Members() {
				known = append(known, m.Name)
			}
			for _, parent := range j.above {
				for _, m := range parent.Placeholders.Value.Members() {
					known = append(known, m.Name)
				}
			}
			for _, match := range token().FindAllStringSubmatch(j.Endpoint, -1) {
				if len(j.above) > 0 && slices.Contains(known, match[2]) {
					continue
				}
				hint := didYouMean(match[2], known)
				if len(j.above) == 0 {
					hint = "placeholders are filled in child jobs only"
				}
				found.Add(failure.Problem{Code: failure.UnfilledPlaceholder, Pointer: j.Pointer + "/endpoint",
					Found: value.OfString("{" + match[2] + "}").JSON(), Expected: "no placeholder fills this part, it is sent as it is", Hint: hint})
			}
		}
	}
}

// orphanPlaceholders finds settings of child jobs at root jobs, which have no
// parent to take a value from.
func orphanPlaceholders(s settings, found *failure.Problems) {
	for _, it := range s.Compiled.Iterations {
		for _, j := range it.Jobs {
			for _, key := range []string{"placeholders", "recursionFilter"} {
				if at(s.Tree, j.Pointer).Field(key).Empty() {
					continue
				}
				found.Add(failure.Problem{Code: failure.OrphanPlaceholder, Pointer: failure.PointerJoin(j.Pointer, key),
					Expected: "has no effect: a root job has no parent item", Hint: "move the job to \"children\" of the one whose items it needs"})
			}
		}
	}
}

// foreignPaths finds paths that are written as in JSONPath, JSON Pointer or a
// programming language: a key of that name is hardly ever there.
func foreignPaths(s settings, found *failure.Problems) {
	look := func(path place, separator string) {
		text := path.Raw()
		if path.Kind() != value.String || separator != "." {
			return
		}
		hint := ""
		switch {
		case strings.HasPrefix(text, "$."):
			hint = "leave out \"$.\""
		case strings.HasPrefix(text, "/") && len(text) > 1:
			hint = "write \"a.b\" instead of \"/a/b\""
		case indexed().MatchString(text):
			hint = "write \"a.0\" instead of \"a[0]\""
		default:
			return
		}
		found.Add(failure.Problem{Code: failure.ForeignPath, Pointer: path.pointer,
			Expected: "hardly leads anywhere: keys are parted by dots", Hint: hint})
	}
	for _, it := range s.Compiled.Iterations {
		for _, j := range jobs(it) {
			job := place{at(s.Tree, j.Pointer), j.Pointer}
			if field := job.get("dataField"); field.Kind() == value.Object {
				look(field.get("path"), or(field.Field("delimiter"), "."))
			} else {
				look(field, ".")
			}
			for _, p := range job.get("placeholders").below() {
				if p.Kind() == value.Object {
					p = p.get("path")
				}
				look(p, ".")
			}
		}
	}
	s.section("api").walk(func(p place) bool {
		switch p.name() {
		case "response":
			look(p, ".")
		case "urlKey":
			look(p, or(at(s.Tree, p.pointer[:strings.LastIndexByte(p.pointer, '/')]).Field("delimiter"), "."))
		case "responseParam", "idKey", "total", "totalPages":
			look(p, ".")
		}
		return true
	})
}

// indexed is a path with an index in brackets.
var indexed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\w\[\d+\]`) })
