package config

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unknownKeys reports unknown keys: as warnings, or as problems when the options
// are strict. A key of a guard is always a problem. A key of `config` that an
// expression refers to is not unknown. settings is the place of the sections
// `config` and `iterations`.
func (c *compiler) unknownKeys(read *field.CheckedDocument, settings string) {
	sink := &c.warnings
	if c.Strict {
		sink = c.problems
	}
	var referred map[string]bool
	if len(read.Unknown) > 0 {
		referred = withLeadingParts(attributesReferredTo(c.document, nil))
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

// guardHint reports whether an unknown key is in a guard, or was meant to be
// `image_parameters` or `allowed_hosts`, and returns a hint. The operator of the component
// relies on these keys: they must not be without effect. Other keys of `image_parameters` are
// no guards: a new key for all components must not stop every job.
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

// attributeAbove is the attribute a place belongs to: the key of `config`, or of
// an item of `iterations`, at or above it; and whether the place is that key
// itself. Jobs are no attributes.
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

// withLeadingParts are the names, and of each what precedes any of its
// dots: with "a.b" the attribute "a" is referred to, too.
func withLeadingParts(names []string) map[string]bool {
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

// attributesReferredTo appends the name in every {"attr": name}, wherever it
// stands, also with a default, and inside an expression that is written as a string.
func attributesReferredTo(v value.Value, names []string) []string {
	if name := v.Without("default"); name.Len() == 1 && name.Field(string(expr.Attr)).IsScalar() {
		names = append(names, name.Field(string(expr.Attr)).Raw())
	}
	if v.Kind() == value.String && strings.HasPrefix(v.Raw(), "{") {
		if inner, err := value.Parse([]byte(v.Raw())); err == nil {
			return attributesReferredTo(inner, names)
		}
	}
	for _, m := range v.Members() {
		names = attributesReferredTo(m.Value, names)
	}
	for _, item := range v.Items() {
		names = attributesReferredTo(item, names)
	}
	return names
}
