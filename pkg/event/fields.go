package event

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// masked returns a copy of a body with redact applied to every string in its exported
// fields. A nil list becomes an empty list.
func masked(body Body, redact func(string) string) Body {
	clone := reflect.New(reflect.TypeOf(body)).Elem()
	clone.Set(reflect.ValueOf(body))
	for i := range clone.NumField() {
		if !clone.Type().Field(i).IsExported() {
			continue
		}
		switch member := clone.Field(i).Addr().Interface().(type) {
		case *string:
			*member = redact(*member)
		case *[]string:
			list := make([]string, len(*member))
			for i, item := range *member {
				list[i] = redact(item)
			}
			*member = list
		}
	}
	return clone.Interface().(Body)
}

// fieldsOf returns the fields of a body with their JSON names and in order.
func fieldsOf(body Body) []Field {
	return fieldsIf(body, func(int) bool { return true })
}

// terminalFields returns the fields that a terminal shows after the message: those that are
// not empty, not intended for programs, and not shown by the message.
func terminalFields(body Body) []Field {
	t := reflect.TypeOf(body)
	return fieldsIf(body, func(i int) bool { return t.Field(i).Tag.Get("console") != "-" && !inMessage(body, i) })
}

func fieldsIf(body Body, wanted func(i int) bool) []Field {
	v := reflect.ValueOf(body)
	var fields []Field
	for i := range v.NumField() {
		name, omitEmpty := tagOf(v.Type().Field(i))
		member := v.Field(i)
		if name == "" || omitEmpty && (member.IsZero() || member.Kind() == reflect.Slice && member.Len() == 0) || !wanted(i) {
			continue
		}
		fields = append(fields, Field{Name: name, Value: member.Interface()})
	}
	return fields
}

// inMessage reports whether a field of a body is empty or shown by the message. An equal
// value of another field does not count: if the field changes, the message must contain the
// value less often. A JSON pointer has only one meaning, so it is enough if the message
// contains it.
func inMessage(body Body, field int) bool {
	changed := reflect.New(reflect.TypeOf(body)).Elem()
	changed.Set(reflect.ValueOf(body))
	member := changed.Field(field)
	items, isList := member.Interface().([]string)
	if !isList {
		items = []string{fmt.Sprint(member.Interface())}
	}
	switch {
	case changed.Type().Field(field).Name == "Pointer":
		changed.SetZero()
	case member.CanInt():
		member.SetInt(member.Int() + 1)
	case member.CanFloat():
		member.SetFloat(member.Float() + 1)
	default:
		member.SetZero()
	}
	message, other := body.message(), changed.Interface().(Body).message()
	return !slices.ContainsFunc(items, func(item string) bool {
		return item != "" && occurrences(message, item) <= occurrences(other, item)
	})
}

// occurrences counts a value in a message, as whole words.
func occurrences(message, value string) (count int) {
	for from := 0; ; {
		at := strings.Index(message[from:], value)
		if at < 0 {
			return count
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(message[:at])
		after, _ := utf8.DecodeRuneInString(message[at+len(value):])
		if !alphanumeric(before) && !alphanumeric(after) {
			count++
		}
		from = at + 1
	}
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// FieldNames returns the JSON names of the fields of a body.
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

// tagOf returns the name of a field in the log, or "" if the field is not logged.
func tagOf(f reflect.StructField) (name string, omitEmpty bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return "", false
	}
	return name, options == "omitempty"
}
