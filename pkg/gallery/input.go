package gallery

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Input is a value that the user must supply: a credential, a host or an id. The
// configuration in the gallery has an example value that begins with "your-" instead.
type Input struct {
	// Attribute is the attribute of `config` with the value. It is "" for a value inside
	// other texts, such as the host in baseUrl.
	Attribute string
	// Example is the example value in the gallery: the whole value of the attribute, or a
	// part of other texts.
	Example string
}

// exampleValue matches an example value, including the rest of a host name.
var exampleValue = regexp.MustCompile(`\byour-[a-z0-9-]*[a-z0-9](?:\.[a-z0-9-]+)*`)

// String returns a name of the input for users.
func (i Input) String() string {
	switch {
	case i.Attribute != "":
		return i.Attribute
	case i.IsHost():
		return "the host " + i.Example
	default:
		return i.Example
	}
}

// IsHost reports whether the value is a host name.
func (i Input) IsHost() bool { return i.Attribute == "" && strings.Contains(i.Example, ".") }

// IsSecret reports whether the value must not be shown.
func (i Input) IsSecret() bool { return strings.HasPrefix(i.Attribute, "#") }

// Replace returns the configuration with text as the value.
func (i Input) Replace(config []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return i.replace(config, quoted)
}

// ReplaceByVariable returns the configuration with {"env": name} as the value of the
// attribute.
func (i Input) ReplaceByVariable(config []byte, name string) []byte {
	return i.replace(config, []byte(`{"env": "`+name+`"}`))
}

// replace replaces the value of the attribute by JSON text. Without an attribute, it
// replaces the example value by the content of a JSON string.
func (i Input) replace(config, text []byte) []byte {
	if i.Attribute == "" {
		return []byte(strings.ReplaceAll(string(config), i.Example, string(text[1:len(text)-1])))
	}
	attribute := regexp.MustCompile(`("` + regexp.QuoteMeta(i.Attribute) + `": )"(?:[^"\\]|\\.)*"`)
	return attribute.ReplaceAllFunc(config, func(match []byte) []byte {
		return append(attribute.FindSubmatch(match)[1], text...)
	})
}

// Inputs returns the values that a configuration of the API still lacks: example values
// inside texts, then attributes, then secret attributes. An attribute of Credentials also
// counts if it still has the value of the gallery.
func (a API) Inputs(config []byte) []Input {
	parameters, attributes := parse(config)
	_, shipped := parse(a.Config)
	var plain, secret []Input
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		text, ok := attributes[name].(string)
		_, credential := a.Credentials[name]
		if !ok || !exampleValue.MatchString(text) && !(credential && text == shipped[name]) {
			continue
		}
		delete(attributes, name) // the parts of its text must not count again
		if input := (Input{name, text}); input.IsSecret() {
			secret = append(secret, input)
		} else {
			plain = append(plain, input)
		}
	}
	parts := map[string]bool{}
	texts(parameters, func(text string) {
		for _, part := range exampleValue.FindAllString(text, -1) {
			parts[part] = true
		}
	})
	var inputs []Input
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		inputs = append(inputs, Input{"", part})
	}
	return slices.Concat(inputs, plain, secret)
}

// parse returns the parameters of a configuration, and its attributes, the members of
// parameters.config. A configuration of the gallery is always valid.
func parse(text []byte) (parameters, attributes map[string]any) {
	var doc struct{ Parameters map[string]any }
	_ = json.Unmarshal(text, &doc)
	attributes, _ = doc.Parameters["config"].(map[string]any)
	return doc.Parameters, attributes
}

// texts calls f for each string in a value.
func texts(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, item := range v {
			texts(item, f)
		}
	case map[string]any:
		for _, member := range v {
			texts(member, f)
		}
	}
}

// ExampleValue returns the first example value of the gallery in a text, or "". Other
// words that begin with "your-", such as the name of a company, do not count.
func ExampleValue(text string) string {
	for _, part := range exampleValue.FindAllString(text, -1) {
		if exampleValues()[part] {
			return part
		}
	}
	return ""
}

// exampleValues returns the example values of all APIs.
var exampleValues = sync.OnceValue(func() map[string]bool {
	parts := map[string]bool{}
	for _, api := range apis() {
		for _, part := range exampleValue.FindAllString(string(api.Config), -1) {
			parts[part] = true
		}
	}
	return parts
})
