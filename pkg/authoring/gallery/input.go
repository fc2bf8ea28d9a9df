package gallery

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Input is a value that a configuration of the gallery cannot know: the user's own
// credential, host or id. An example value that begins with "your-" stands for it.
type Input struct {
	// Attribute is the attribute of `config` with the value, "" for a value inside other
	// texts, such as the host in baseUrl.
	Attribute string
	// Example is the value in the gallery: of the attribute as a whole, or the part of
	// the texts.
	Example string
}

// exampleValue matches an example value, including the rest of a host name.
var exampleValue = regexp.MustCompile(`\byour-[a-z0-9-]*[a-z0-9](?:\.[a-z0-9-]+)*`)

// String names the value for people.
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

// Replace returns the configuration with the user's value.
func (i Input) Replace(config []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string has JSON
	}
	return i.replace(config, quoted)
}

// ReplaceByVariable returns the configuration with {"env": name} as the value of the
// attribute.
func (i Input) ReplaceByVariable(config []byte, name string) []byte {
	return i.replace(config, []byte(`{"env": "`+name+`"}`))
}

// replace replaces the attribute's value by JSON text. Without an attribute it replaces the
// example value by the content of a JSON string.
func (i Input) replace(config, text []byte) []byte {
	if i.Attribute == "" {
		return []byte(strings.ReplaceAll(string(config), i.Example, string(text[1:len(text)-1])))
	}
	attribute := regexp.MustCompile(`("` + regexp.QuoteMeta(i.Attribute) + `": )"(?:[^"\\]|\\.)*"`)
	return attribute.ReplaceAllFunc(config, func(match []byte) []byte {
		return append(attribute.FindSubmatch(match)[1], text...)
	})
}

// Inputs returns the values of the user that a configuration of the API still lacks: example
// values in texts, then attributes with an example value. An attribute of Credentials also
// counts if it has the value of the gallery. Secrets come last.
func (a API) Inputs(config []byte) ([]Input, error) {
	parameters, attributes, err := a.read(config)
	if err != nil {
		return nil, err
	}
	original, err := Config(a.Name)
	if err != nil {
		return nil, err
	}
	_, shipped, err := a.read(original)
	if err != nil {
		return nil, err
	}
	var plain, secret []Input
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		text, ok := attributes[name].(string)
		_, credential := a.Credentials[name]
		if !ok || !exampleValue.MatchString(text) && !(credential && text == shipped[name]) {
			continue
		}
		delete(attributes, name) // so that its parts are not found below
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
	return slices.Concat(inputs, plain, secret), nil
}

// read returns the parameters of a configuration and the attributes, which are the members of
// parameters.config.
func (a API) read(text []byte) (parameters, attributes map[string]any, err error) {
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, nil, failure.Applicationf("cannot read the configuration of %s: %w", a.Name, err)
	}
	document, _ := doc.(map[string]any)
	parameters, _ = document["parameters"].(map[string]any)
	attributes, _ = parameters["config"].(map[string]any)
	return parameters, attributes, nil
}

// texts calls f with each string below a value.
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

// ExampleValue returns the first example value of the gallery in a text, or "" if there is
// none. Other words that begin with "your-", such as the name of a company, do not count.
func ExampleValue(text string) string {
	for _, part := range exampleValue.FindAllString(text, -1) {
		if exampleValues()[part] {
			return part
		}
	}
	return ""
}

// exampleValues returns the example values of all configurations. It ignores errors, because a
// test reads all of them.
var exampleValues = sync.OnceValue(func() map[string]bool {
	parts := map[string]bool{}
	all, _ := All()
	for _, api := range all {
		text, _ := Config(api.Name)
		for _, part := range exampleValue.FindAllString(string(text), -1) {
			parts[part] = true
		}
	}
	return parts
})
