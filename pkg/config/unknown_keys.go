package config

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unknownKeys reports unknown keys as warnings, or as problems if Options.Strict is set.
// An unknown key in a guard is always a problem, see guardHint. A key of `config` that an
// expression refers to is an attribute, so it is not reported. settings is the JSON
// pointer of the object with `config` and `iterations`.
func (c *compiler) unknownKeys(read *field.CheckedDocument, settings string) {
	sink := &c.warnings
	if c.Strict {
		sink = c.problems
	}
	var referred map[string]bool
	if len(read.Unknown) > 0 {
		referred = withPrefixes(appendAttributeNames(c.document, nil))
	}
	for _, key := range read.Unknown {
		if hint, ok := guardHint(key); ok {
			c.problems.Add(failure.Problem{Code: failure.UnknownKey, Pointer: key.Pointer, Expected: "unknown key, so nothing is restricted by it", Hint: hint})
			continue
		}
		code, text := failure.UnknownKey, failure.Text("unknown key")
		if attribute, itself, ok := attributeAbove(key.Pointer, settings); ok {
			if referred[attribute] {
				continue
			}
			if itself {
				code, text = failure.UnusedAttribute, "unknown key, and no expression refers to it"
			}
		}
		sink.Add(failure.Problem{Code: code, Pointer: key.Pointer, Expected: text, Hint: read.UnknownHint(key)})
	}
}

// guardHint reports whether an unknown key is in a guard, or is a misspelt
// `image_parameters` or `allowed_hosts`, and returns a hint. The operator of the
// component relies on these keys, so a mistake must not go unnoticed. Other keys of
// `image_parameters` are not guards: a new key for all components must not stop every
// job.
func guardHint(key field.Key) (hint failure.Text, ok bool) {
	section, hosts := imageParameters.Name, allowedHosts.Name
	if below, ok := strings.CutPrefix(key.Pointer, "/"+section+"/"); ok {
		if hint := key.NearHint(); hint != "" {
			return hint, true
		}
		return "the known keys are " + field.List(key.Known), strings.Contains(below, "/")
	}
	if parent := strings.TrimSuffix(key.Pointer, "/"+key.Name); parent != "" && parent != "/"+Wrapper.Name {
		return "", false
	}
	near, ok := failure.Nearest(key.Name, []string{section, hosts})
	switch {
	case !ok:
		return "", false
	case near == section:
		return "write " + field.OwnName(section) + ", at the top of the document", true
	default:
		return "write " + field.OwnName(hosts) + " in the section " + field.OwnName(section) + ", at the top of the document", true
	}
}

// attributeAbove returns the attribute that contains the value at a pointer: a key of
// `config` or of an item of `iterations`. itself is true if the pointer leads to the
// attribute itself. Jobs are not attributes.
func attributeAbove(pointer, settings string) (name string, itself, ok bool) {
	below, ok := strings.CutPrefix(pointer, settings+"/"+IterationsSection.Name+"/")
	if ok {
		_, below, ok = strings.Cut(below, "/") // after the number of the item
	} else {
		below, ok = strings.CutPrefix(pointer, settings+"/"+ConfigSection.Name+"/")
	}
	if !ok {
		return "", false, false
	}
	name = failure.PointerSplit("/" + below)[0]
	return name, !strings.Contains(below, "/"), name != JobsSetting.Name
}

// withPrefixes returns the set of the names and of all their prefixes before a dot: "a.b"
// also refers to the attribute "a".
func withPrefixes(names []string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		for i, c := range name + "." {
			if c == '.' {
				all[name[:i]] = true
			}
		}
	}
	return all
}

// appendAttributeNames appends the name of every {"attr": name} in a value, with or
// without a default. It also finds expressions that are written as a string.
func appendAttributeNames(v value.Value, names []string) []string {
	if name := v.Without("default"); name.Len() == 1 && name.Field(string(expr.Attr)).IsScalar() {
		names = append(names, name.Field(string(expr.Attr)).Raw())
	}
	if v.Kind() == value.String && strings.HasPrefix(v.Raw(), "{") {
		if inner, err := value.Parse([]byte(v.Raw())); err == nil {
			return appendAttributeNames(inner, names)
		}
	}
	for _, m := range v.Members() {
		names = appendAttributeNames(m.Value, names)
	}
	for _, item := range v.Items() {
		names = appendAttributeNames(item, names)
	}
	return names
}
