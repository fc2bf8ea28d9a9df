package config

import (
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// validate tells every violation of the schema as a problem. Places whose value
// is wrong in itself are marked as faulty.
func (c *compiler) validate(prepared value.Value) {
	err := c.schema.validator.Validate(native(prepared))
	if err == nil {
		return
	}
	violation, ok := err.(*jsonschema.ValidationError)
	if !ok {
		c.problems.Add(failure.Problem{Code: failure.WrongType, Expected: "expected a document that can be validated"})
		return
	}
	c.violations(violation, "", "")
}

// violations walks down to the violations that have no cause of their own. The
// message of a schema counts for everything that is wrong with the same value.
func (c *compiler) violations(e *jsonschema.ValidationError, at string, message failure.Text) {
	pointer := ""
	for _, token := range e.InstanceLocation {
		pointer = failure.PointerJoin(pointer, token)
	}
	if pointer != at {
		message = ""
	}
	node := c.shapeAt(e.SchemaURL)
	if node.message != "" {
		message = failure.Text(node.message)
	}
	for _, cause := range e.Causes {
		c.violations(cause, pointer, message)
	}
	if len(e.Causes) > 0 {
		return
	}
	found, _ := lookup(c.document, pointer)
	code := failure.WrongValue
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			hint := misspelt(found, name, node)
			if hint == "" {
				hint = renamedKey(found, name, node)
			}
			c.problems.Add(failure.Problem{Code: failure.MissingKey, Pointer: pointer, Expected: "expected the key " + ownName(name), Hint: hint})
		}
		return
	case *kind.MinProperties:
		// The keys that are missing say more.
		if len(node.required) > 0 {
			return
		}
	case *kind.Enum:
		c.fault(failure.UnknownChoice, pointer, found, "expected one of "+list(node.enum), choiceHint(pointer, found.Raw(), node.enum))
		return
	case *kind.Pattern:
		c.fault(code, pointer, found, message, secondsHint(pointer, found))
		return
	case *kind.Type:
		code = failure.WrongType
		if len(node.enum) > 0 {
			message = "expected one of " + list(node.enum)
		} else if message == "" {
			message = failure.Text("expected " + phrase(k.Want))
		}
		c.fault(code, pointer, found, message, typeHint(pointer, found, node))
		return
	}
	c.fault(code, pointer, found, message, "")
}

// fault reports a wrong value once.
func (c *compiler) fault(code failure.Code, pointer string, found value.Value, expected, hint failure.Text) {
	if c.faulty[pointer] {
		return
	}
	c.faulty[pointer] = true
	c.problems.Add(failure.Problem{Code: code, Pointer: pointer, Found: Describe(pointer, found), Expected: expected, Hint: hint})
}

// shapeAt is the part of the schema that a validator's address points at.
func (c *compiler) shapeAt(address string) *shape {
	_, fragment, _ := strings.Cut(address, "#")
	pointer, err := url.PathUnescape(fragment)
	if node, ok := c.schema.shapes[pointer]; ok && err == nil {
		return node
	}
	return &shape{}
}

// misspelt is the hint for a missing key when the object has an unknown one
// that is spelt nearly the same.
func misspelt(object value.Value, missing string, s *shape) failure.Text {
	for _, m := range object.Members() {
		if slices.Contains(s.base().names, m.Name) {
			continue
		}
		if _, ok := failure.Nearest(m.Name, []string{missing}); ok {
			return "is " + quoted(m.Name) + " meant to be it?"
		}
	}
	return ""
}

// renamedKey is the hint for a missing key when the object has an unknown one
// that other tools know it by.
func renamedKey(object value.Value, missing string, s *shape) failure.Text {
	for _, m := range object.Members() {
		if _, ok := foreignKey(m.Name, []string{missing}); ok && !slices.Contains(s.base().names, m.Name) {
			return "is " + quoted(m.Name) + " meant to be it?"
		}
	}
	return ""
}

// phrase names types for a person.
func phrase(types []string) string {
	names := map[string]string{
		"object": "an object", "array": "a list", "string": "a string", "number": "a number",
		"integer": "an integer", "boolean": "true or false", "null": "null",
	}
	words := make([]string, 0, len(types))
	for _, t := range types {
		words = append(words, names[t])
	}
	return strings.Join(words, " or ")
}

// list is names of the schema in a message.
func list(names []string) failure.Text {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = ownName(name).String()
	}
	return failure.Text(strings.Join(all, ", "))
}

// quoted is a name of the document in a message: as JSON, shortened.
func quoted(name string) failure.Text { return failure.Part(ownName(name).String()) }

// ownName is a name of the schema in a message.
func ownName(name string) failure.Text { return failure.Text(value.OfString(shorten(name)).JSON()) }
