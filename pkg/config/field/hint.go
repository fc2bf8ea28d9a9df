package field

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// UnknownHint suggests a key for an unknown key. It is a key of the same object with a
// similar spelling or with this name in other tools, or a key with the same name in
// another section.
func (d *CheckedDocument) UnknownHint(key Key) failure.Text {
	if hint := key.NearHint(); hint != "" {
		return hint
	}
	if section, ok := d.tree.sectionOf(key.Name, key.Pointer); ok {
		return Quoted(key.Name) + " is a key of " + OwnName(section)
	}
	return ""
}

// NearHint suggests a key of the same object. It returns "" if there is no similar key.
func (k Key) NearHint() failure.Text {
	if near, ok := failure.Nearest(k.Name, k.Known); ok {
		return "did you mean " + OwnName(near) + "?"
	}
	if meant := k.at.alsoCalled(k.Name); meant != nil {
		return "the key for that is " + OwnName(meant.Name)
	}
	return ""
}

// alsoCalled returns the field with this name in other tools, or nil.
func (t *Type) alsoCalled(name string) *Field {
	name = strings.ToLower(name)
	for _, f := range t.base().Fields {
		if slices.Contains(f.AlsoCalled, name) {
			return f
		}
	}
	return nil
}

// Misspelt returns a hint for a missing key, if the object has an unknown key that is
// similar or that is its name in other tools.
func Misspelt(object value.Value, missing string, t *Type) failure.Text {
	unknown := func(is func(name string) bool) failure.Text {
		for _, m := range object.Members() {
			if !slices.Contains(t.names(), m.Name) && is(m.Name) {
				return "is " + Quoted(m.Name) + " meant to be it?"
			}
		}
		return ""
	}
	if hint := unknown(func(name string) bool { _, ok := failure.Nearest(name, []string{missing}); return ok }); hint != "" {
		return hint
	}
	return unknown(func(name string) bool { f := t.alsoCalled(name); return f != nil && f.Name == missing })
}

// choiceHint suggests the nearest choice, or the replacement for a value of another tool.
func choiceHint(t *Type, found string) failure.Text {
	if near, ok := failure.Nearest(found, t.choices()); ok {
		return "did you mean " + OwnName(near) + "?"
	}
	word := strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(found))
	for _, c := range t.Choices {
		switch {
		case c.Hint == "" && slices.Contains(c.AlsoCalled, word):
			return "did you mean " + OwnName(c.Name) + "?"
		case c.Hint != "" && (c.Name == word || slices.Contains(c.AlsoCalled, word)):
			return c.Hint
		}
	}
	return ""
}

// typeHint suggests how to write a value of the wrong type.
func typeHint(pointer string, found value.Value, t *Type) failure.Text {
	switch {
	case found.Kind() == value.Array && t.allows(value.Object) && !t.allows(value.Array) && !t.allows(value.String):
		return `write an object, {"name": value}, instead of the list`
	case found.Kind() == value.Array && strings.HasPrefix(t.Message.String(), "expected a path") && !secret.IsSecretPointer(pointer):
		if keys, ok := joinKeys(found); ok {
			return "write " + Quoted(keys)
		}
	case found.IsScalar() && t.allows(value.Object) && !t.allows(value.String) && len(t.names()) > 0 && len(t.names()) <= 4:
		return "write an object with the keys " + List(t.names())
	}
	return ""
}

// joinKeys converts a list of keys to a path. It returns false if the list contains other
// values.
func joinKeys(keys value.Value) (string, bool) {
	var all []string
	for _, key := range keys.Items() {
		if key.Kind() != value.String && key.Kind() != value.Number {
			return "", false
		}
		all = append(all, key.Text())
	}
	return strings.Join(all, "."), len(all) > 0
}

// secondsHint suggests how to write a time with a unit as seconds.
func secondsHint(pointer string, found value.Value) failure.Text {
	number := strings.TrimRight(strings.TrimSpace(found.Raw()), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(found.Raw()), number))
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || secret.IsSecretPointer(pointer) {
		return ""
	}
	seconds := func(each float64) failure.Text {
		return "write it in seconds: " + failure.Part(strconv.FormatFloat(n*each, 'f', -1, 64))
	}
	switch unit {
	case "s", "sec", "second", "seconds":
		return "write the seconds without their unit: " + failure.Part(number)
	case "min", "minute", "minutes":
		return seconds(60)
	case "h", "hour", "hours":
		return seconds(3600)
	default:
		return ""
	}
}

// List formats names of fields for a message.
func List(names []string) failure.Text {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = OwnName(name).String()
	}
	return failure.Text(strings.Join(all, ", "))
}

// Quoted formats a name of the document for a message, as shortened JSON. It marks the
// text as a part that may need masking.
func Quoted(name string) failure.Text { return failure.Part(OwnName(name).String()) }

// OwnName formats the name of a declared field for a message.
func OwnName(name string) failure.Text {
	return failure.Text(value.OfString(textfmt.Shorten(name, maxShown)).JSON())
}
