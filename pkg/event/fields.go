package event

import (
	"reflect"
	"strings"
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
	v := reflect.ValueOf(body)
	var fields []Field
	for i := range v.NumField() {
		name, omitEmpty := tagOf(v.Type().Field(i))
		member := v.Field(i)
		if name == "" || omitEmpty && (member.IsZero() || member.Kind() == reflect.Slice && member.Len() == 0) {
			continue
		}
		console := v.Type().Field(i).Tag.Get("console")
		fields = append(fields, Field{Name: name, Value: member.Interface(), MachineOnly: console == "-", NotInMessage: console == "always"})
	}
	return fields
}

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
