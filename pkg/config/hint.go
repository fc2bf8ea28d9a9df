package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unknownHint says what an unknown key may be meant as: one of its neighbours
// that is spelt nearly the same, or a key of that name in another section.
func (c *compiler) unknownHint(key unknownKey) failure.Text {
	if near, ok := failure.Nearest(key.name, key.known); ok {
		return "did you mean " + ownName(near) + "?"
	}
	if meant, ok := foreignKey(key.name, key.known); ok {
		return "the key for that is " + ownName(meant)
	}
	if section, ok := c.schema.sectionOf(key.name, key.pointer); ok {
		return quoted(key.name) + " is a key of " + ownName(section)
	}
	return ""
}

// foreignKey is the key for what other tools know by this name, where it is one
// of the known keys. The first of several counts.
func foreignKey(name string, known []string) (string, bool) {
	words := map[string][]string{
		"url":        {"baseUrl", "endpoint"},
		"uri":        {"baseUrl", "endpoint"},
		"host":       {"baseUrl"},
		"path":       {"endpoint"},
		"resource":   {"endpoint"},
		"query":      {"params"},
		"verb":       {"method"},
		"type":       {"method"},
		"columns":    {"mapping"},
		"data_path":  {"dataField"},
		"datapath":   {"dataField"},
		"records":    {"dataField"},
		"page_size":  {"limit"},
		"pagesize":   {"limit"},
		"start_page": {"firstPage"},
		"timeout":    {"requestTimeout"},
	}
	for _, meant := range words[strings.ToLower(name)] {
		if slices.Contains(known, meant) {
			return meant, true
		}
	}
	return "", false
}

// sectionOf is the section that has a key of this name, as a path in the words
// of the documentation: the nearest below the place where it was found, else
// the one nearest to the top.
func (s *schema) sectionOf(name, pointer string) (string, bool) {
	here := keysTo(pointer)
	here = here[:max(0, strings.LastIndexByte(here, '.'))]
	best := ""
	for _, section := range s.owners[name] {
		if strings.HasPrefix(here, "config.mappings.") && !strings.HasPrefix(section, "config.mappings") {
			continue // names there are mostly those of the data
		}
		inner := strings.HasPrefix(section, here+".") && here != ""
		switch {
		case best == "":
			best = section
		case inner && !strings.HasPrefix(best, here+"."):
			best = section
		}
	}
	return best, best != ""
}

// keysTo is a place as the path of its keys: without `parameters` and the numbers
// of items.
func keysTo(pointer string) string {
	var names []string
	for _, name := range segments(pointer) {
		if _, err := strconv.Atoi(name); err == nil || name == "parameters" {
			continue
		}
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

// findOwners notes, for every key, the paths of the sections that have it, those
// near the top first. Each section counts at the place where it is met first.
func (s *schema) findOwners(top *shape) {
	type place struct {
		*shape
		path string
	}
	s.owners = map[string][]string{}
	seen := map[*shape]bool{}
	for queue := []place{{top, ""}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		base := at.base()
		if base == nil || seen[base] {
			continue
		}
		seen[base] = true
		for _, name := range base.names {
			property := base.properties[name]
			inner := strings.TrimPrefix(at.path+"."+name, ".")
			if at.path != "" && property.deprecation == "" {
				s.owners[name] = append(s.owners[name], at.path)
			}
			queue = append(queue, place{property, inner})
		}
		queue = append(queue, place{base.items, at.path}, place{base.others, at.path})
	}
}

// choiceHint is the nearest of the values that a key may have, or the one for
// what other tools call so.
func choiceHint(pointer, found string, known []string) failure.Text {
	if near, ok := failure.Nearest(found, known); ok {
		return "did you mean " + ownName(near) + "?"
	}
	word := strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(found))
	switch {
	case strings.HasSuffix(pointer, "/authentication/type"):
		switch word {
		case "bearer", "bearertoken", "token", "header":
			return `for a token in a header write "api.http.headers": {"Authorization": …} instead of "authentication"`
		case "apikey", "key":
			return `for a key in the query write "query", for one in a header "api.http.headers" instead of "authentication"`
		case "none", "no":
			return "remove the key for no authentication"
		}
	case strings.Contains(pointer, "/pagination/"):
		switch word {
		case "page", "pagenumber", "pagebased", "pageincrement":
			return `did you mean "pagenum"?`
		case "offsetlimit", "limitoffset", "skip":
			return `did you mean "offset"?`
		case "nexturl", "nextlink", "link", "links", "url", "hateoas", "jsonlink":
			return `did you mean "response.url"?`
		case "token", "nexttoken", "pagetoken", "nextpagetoken", "continuationtoken", "cursorpagination":
			return `did you mean "response.param"?`
		case "none", "no":
			return "remove the key for no paging"
		}
	}
	return ""
}

// typeHint says how to write what was written as another type.
func typeHint(pointer string, found value.Value, s *shape) failure.Text {
	base := s.base()
	switch {
	case base == nil:
		return ""
	case found.Kind() == value.Array && s.allows(value.Object) && !s.allows(value.Array) && !s.allows(value.String):
		return `write an object, {"name": value}, in the place of the list`
	case found.Kind() == value.Array && strings.HasPrefix(s.text(), "expected a path") && !MayBeSecret(pointer):
		if keys, ok := dotted(found); ok {
			return "write " + quoted(keys)
		}
	case found.IsScalar() && s.allows(value.Object) && !s.allows(value.String) && len(base.names) > 0 && len(base.names) <= 4:
		return "write an object with the keys " + list(base.names)
	}
	return ""
}

// text is the message of a shape or of what it refers to.
func (s *shape) text() string {
	for ; s != nil; s = s.ref {
		if s.message != "" {
			return s.message
		}
	}
	return ""
}

// dotted are the keys of a list as a path.
func dotted(keys value.Value) (string, bool) {
	var all []string
	for _, key := range keys.Items() {
		if key.Kind() != value.String && key.Kind() != value.Number {
			return "", false
		}
		all = append(all, key.Text())
	}
	return strings.Join(all, "."), len(all) > 0
}

// secondsHint says how to write a time that has its unit behind it.
func secondsHint(pointer string, found value.Value) failure.Text {
	number := strings.TrimRight(strings.TrimSpace(found.Raw()), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(found.Raw()), number))
	if _, err := strconv.ParseFloat(number, 64); err != nil || MayBeSecret(pointer) || !slices.Contains([]string{"s", "sec", "seconds"}, unit) {
		return ""
	}
	return "write the seconds without their unit: " + failure.Part(number)
}
