package extract

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// userData are columns with values of the configuration's own.
type userData struct {
	entries []expr.Entries
	pointer string
}

// compileUserData reads one `userData`: an object of columns, or a scalar that
// becomes the column of the given name. Empty ones are no column.
func compileUserData(s config.Section, scalarName string, attributes expr.Members) expr.Entries {
	if !s.Present() {
		return expr.Entries{}
	}
	columns := s.Value
	if columns.IsScalar() {
		columns = value.OfMembers(value.Member{Name: scalarName, Value: columns})
	}
	for _, m := range columns.Members() {
		if m.Value.Kind() == value.Array {
			s.Get(m.Name).Problem("a column of user data needs one value, found a list", "")
		}
	}
	compiler := expr.Compiler{
		Contexts: []expr.Context{expr.Attr, expr.Time},
		Known:    map[expr.Context]expr.Members{expr.Attr: attributes, expr.Time: expr.TimeNames()},
		Problems: s.Problems(),
	}
	return compiler.Entries(columns, s.Pointer)
}

// columns evaluates the user data; later entries replace earlier ones of the
// same name in their place.
func (u userData) columns(scope *expr.Scope) ([]mapping.Column, error) {
	var columns []mapping.Column
	for _, entries := range u.entries {
		evaluated, err := entries.Eval(scope)
		if err != nil {
			return nil, failure.Within("user data", u.pointer, err)
		}
		for _, m := range evaluated.Members() {
			columns = append(columns, mapping.Column(m))
		}
	}
	return columns, nil
}
