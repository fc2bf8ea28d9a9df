package event

import (
	"fmt"
	"reflect"
	"strings"
)

// fieldsOf returns the fields of a body, a struct, with their JSON names and in order. It
// applies redact to every string. It supports the option omitempty of a JSON tag, and the
// tag console:"-" for fields for programs.
func fieldsOf(body Body, redact func(string) string) []Field {
	v := reflect.Indirect(reflect.ValueOf(body))
	if v.Kind() != reflect.Struct {
		return nil
	}
	var fields []Field
	for i := range v.NumField() {
		name, omitEmpty := tagOf(v.Type().Field(i))
		member := v.Field(i)
		if name == "" || omitEmpty && empty(member) {
			continue
		}
		fields = append(fields, Field{
			Name:         name,
			Value:        redacted(member.Interface(), redact),
			MachineOnly:  v.Type().Field(i).Tag.Get("console") == "-",
			NotInMessage: isUnsaid(body, v, i),
		})
	}
	return fields
}

// FieldNames returns the JSON names of the fields of a body, a struct.
func FieldNames(body Body) []string {
	var names []string
	t := reflect.TypeOf(body)
	for i := range t.NumField() {
		if name, _ := tagOf(t.Field(i)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// isUnsaid reports whether a field is a number or a Boolean that does not affect the
// message. If the message contains an equal number, that number has another meaning.
func isUnsaid(body Body, v reflect.Value, field int) bool {
	other := reflect.New(v.Type()).Elem()
	other.Set(v)
	switch n := other.Field(field).Addr().Interface().(type) {
	case *bool:
		*n = !*n
	case *int:
		*n++
	case *int64:
		*n++
	case *float64:
		*n++
	default:
		return false
	}
	changed, _ := other.Interface().(Body)
	return changed.Message() == body.Message()
}

// tagOf returns the name of a field in the log, or "" if the field is not logged.
func tagOf(f reflect.StructField) (name string, omitEmpty bool) {
	tag := f.Tag.Get("json")
	if !f.IsExported() || tag == "-" {
		return "", false
	}
	name, options, _ := strings.Cut(tag, ",")
	if name == "" {
		name = f.Name
	}
	return name, options == "omitempty"
}

func empty(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

func redacted(value any, redact func(string) string) any {
	switch v := value.(type) {
	case string:
		return redact(v)
	case []string:
		list := make([]string, len(v))
		for i, item := range v {
			list[i] = redact(item)
		}
		return list
	case bool, int, int64, float64:
		return v
	default:
		return redact(fmt.Sprint(v))
	}
}

// masked returns a copy of a body, a struct, with redact applied to every string in its
// exported fields.
func masked(body Body, redact func(string) string) Body {
	v := reflect.Indirect(reflect.ValueOf(body))
	if v.Kind() != reflect.Struct {
		return nil
	}
	clone := reflect.New(v.Type()).Elem()
	clone.Set(v)
	for i := range clone.NumField() {
		member := clone.Field(i)
		if !member.CanSet() {
			continue
		}
		if member.Kind() == reflect.String {
			member.SetString(redact(member.String()))
		} else if list, ok := member.Interface().([]string); ok {
			member.Set(reflect.ValueOf(redacted(list, redact)))
		}
	}
	copied, _ := clone.Interface().(Body)
	return copied
}
