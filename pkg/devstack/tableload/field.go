package tableload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// object reads the members of a JSON object by type. It keeps the first error and the
// names of all members that were read, so that finish can report unknown members.
type object struct {
	path  string // JSON path of the object, "" at the top
	value value.Value
	known []string
	err   error
}

// newObject accepts an object or an empty list: PHP writes an empty object as a list.
func newObject(path string, v value.Value) *object {
	o := &object{path: path, value: v}
	if v.Kind() != value.Object && !isEmptyList(v) {
		o.fail("", "an object")
	}
	return o
}

func isEmptyList(v value.Value) bool { return v.Kind() == value.Array && v.Len() == 0 }

func isEmptyObject(v value.Value) bool { return v.Kind() == value.Object && v.Len() == 0 }

func (o *object) pathOf(name string) string {
	switch {
	case name == "":
		return o.path
	case o.path == "":
		return name
	default:
		return o.path + "." + name
	}
}

func (o *object) fail(name, expected string) {
	if o.err == nil {
		o.err = failure.Userf("%s must be %s", describePath(o.pathOf(name)), expected)
	}
}

func describePath(path string) string {
	if path == "" {
		return "the document"
	}
	return fmt.Sprintf("%q", path)
}

// get returns a member. A member that is null counts as absent.
func (o *object) get(name string) (value.Value, bool) {
	o.known = append(o.known, name)
	if o.err != nil {
		return value.Value{}, false
	}
	v, found := o.value.Get(name)
	return v, found && !v.IsNull()
}

func (o *object) text(name string) string {
	v, found := o.get(name)
	if !found {
		return ""
	}
	if v.Kind() != value.String {
		o.fail(name, "a text")
		return ""
	}
	return v.Text()
}

func (o *object) requiredText(name string) string {
	text := o.text(name)
	if text == "" {
		o.fail(name, "given and not empty")
	}
	return text
}

func (o *object) scalar(name string) (string, bool) {
	v, found := o.get(name)
	if found && !v.IsScalar() {
		o.fail(name, "a text, a number or a boolean")
		return "", false
	}
	if found && v.Kind() == value.Bool {
		return v.JSON(), true
	}
	return v.Text(), found
}

func (o *object) flag(name string) (on, found bool) {
	v, found := o.get(name)
	if found && v.Kind() != value.Bool {
		o.fail(name, "true or false")
	}
	return found && v.True(), found
}

func (o *object) texts(name string) []string {
	var texts []string
	for _, v := range o.items(name) {
		if v.Kind() != value.String {
			o.fail(name, "a list of texts")
			return nil
		}
		texts = append(texts, v.Text())
	}
	return texts
}

func (o *object) items(name string) []value.Value {
	v, found := o.get(name)
	if !found || isEmptyObject(v) {
		return nil
	}
	if v.Kind() != value.Array {
		o.fail(name, "a list")
		return nil
	}
	return v.Items()
}

func (o *object) objects(name string, read func(*object)) {
	for i, v := range o.items(name) {
		item := newObject(fmt.Sprintf("%s.%d", o.pathOf(name), i), v)
		if item.err == nil {
			read(item)
		}
		o.finishInner(item)
	}
}

func (o *object) object(name string, read func(*object)) {
	v, found := o.get(name)
	if !found {
		return
	}
	inner := newObject(o.pathOf(name), v)
	if inner.err == nil {
		read(inner)
	}
	o.finishInner(inner)
}

// finishInner checks an inner object for unknown members and takes over its error.
func (o *object) finishInner(inner *object) {
	if err := inner.finish(); o.err == nil {
		o.err = err
	}
}

func (o *object) pairs(name string) map[string]string {
	pairs := map[string]string{}
	o.objects(name, func(item *object) {
		key := item.requiredText("key")
		text, found := item.scalar("value")
		if !found {
			item.fail("value", "given")
		}
		pairs[key] = text
	})
	return pairs
}

// members reads an object of scalars. Its members may have any names.
func (o *object) members(name string) map[string]string {
	members := map[string]string{}
	o.object(name, func(inner *object) {
		for _, m := range inner.value.Members() {
			members[m.Name], _ = inner.scalar(m.Name)
		}
	})
	return members
}

// finish returns the first error, or an error about the first unknown member.
func (o *object) finish() error {
	if o.err != nil {
		return o.err
	}
	if o.value.Kind() != value.Object {
		return nil
	}
	for _, m := range o.value.Members() {
		if slices.Contains(o.known, m.Name) {
			continue
		}
		known, hint := slices.Sorted(slices.Values(o.known)), ""
		if near, found := failure.Nearest(m.Name, known); found {
			hint = fmt.Sprintf(" Did you mean %q?", near)
		}
		return failure.Userf("Unrecognized option %q.%s Available options are %s.", o.pathOf(m.Name), hint, strings.Join(known, ", "))
	}
	return nil
}
