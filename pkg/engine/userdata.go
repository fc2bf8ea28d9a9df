package engine

import (
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// userData are columns with values that the configuration sets.
type userData struct {
	entries []expr.Entries
	pointer string
	// renumbered is true if columns with numbers as names are renumbered from 0, as PHP
	// does when it joins two arrays.
	renumbered bool
}

// compileUserData compiles one `userData`: an object of columns, a list of columns that
// are named by their index, or a scalar that becomes a column named scalarName. An empty
// value makes no column.
func compileUserData(s config.Section, scalarName string, compiler expr.Compiler) expr.Entries {
	if !s.Present() {
		return expr.Entries{}
	}
	columns := s.Value.AsObject()
	if columns.Kind() != value.Object {
		columns = value.OfMembers(value.Member{Name: scalarName, Value: columns})
	}
	compiler.KeepNull = true
	return compiler.Entries(withoutEmptyObjects(columns), s.Pointer)
}

// withoutEmptyObjects replaces empty objects in a value with empty lists. The original
// extractor cannot distinguish them in its configuration, and hashes lists.
func withoutEmptyObjects(v value.Value) value.Value {
	if v.Kind() == value.Object && v.Len() == 0 {
		return value.OfItems()
	}
	return v.Map(func(m value.Member) value.Member {
		m.Value = withoutEmptyObjects(m.Value)
		return m
	})
}

// references returns the names in a context that the user data refers to.
func (u userData) references(c expr.Context) []string {
	var names []string
	for _, entries := range u.entries {
		names = append(names, entries.References(c)...)
	}
	return names
}

// dependsOnPage reports whether the user data depends on the response of each page.
func (u userData) dependsOnPage() bool {
	return len(u.references(expr.Response))+len(u.references(expr.ResponseHeader)) > 0
}

// columns evaluates the user data. A later entry replaces an earlier entry with the same
// name and keeps its position.
func (u userData) columns(scope *expr.Scope) ([]mapping.Column, error) {
	var columns []mapping.Column
	for _, entries := range u.entries {
		evaluated, err := entries.Eval(scope)
		if err != nil {
			return nil, failure.Wrap("user data", u.pointer, err)
		}
		for _, m := range evaluated.Members() {
			columns = append(columns, mapping.Column(m))
		}
	}
	if u.renumbered {
		next := 0
		for i := range columns {
			if php.IsIndex(columns[i].Name) {
				columns[i].Name = strconv.Itoa(next)
				next++
			}
		}
	}
	return columns, nil
}
