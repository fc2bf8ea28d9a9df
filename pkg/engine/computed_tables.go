package engine

import (
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// computedTables are the tables of one bucket with names that an expression made.
type computedTables struct {
	byName map[string]computedTable
	// names are the names of the tables of each job, by the pointer of the job.
	names map[string][]string
}

// computedTable is a table with a computed name. text is the data type that it is named
// after.
type computedTable struct{ text, mapping string }

// claim adds a table of a job. It returns a user error if another data type has the name
// of the table, or if the job has too many tables. Call it in the serial order.
func (c *computedTables) claim(j *job, text string) (table string, err error) {
	at := dataTypePointer(j)
	table = mapping.TableName(text)
	if c.byName == nil {
		c.byName, c.names = map[string]computedTable{}, map[string][]string{}
	}
	first, ok := c.byName[table]
	switch own := c.names[j.Pointer]; {
	case ok && first.text != text:
		return "", failure.Userf("the data types %q and %q have the same table name %q: add a value to the expression in which they differ", first.text, text, table).At(at)
	case ok && first.mapping != j.Mapping:
		return "", failure.Userf("the data type %q of another job has the table name %q and another mapping: make names that differ, such as with a prefix", text, table).At(at)
	case slices.Contains(own, table):
		return table, nil
	case len(own) == config.MaxComputedTables:
		return "", failure.Userf("'dataType' made more than %d names: the last one is %q; make names of values that repeat, or write the rows to one table with a column for the value", config.MaxComputedTables, text).At(at)
	}
	c.byName[table] = computedTable{text, j.Mapping}
	c.names[j.Pointer] = append(c.names[j.Pointer], table)
	return table, nil
}

// dataTypeOf evaluates the data type of a run of a job. It returns a user error if no table
// can have this name.
func (d *dispatcher) dataTypeOf(j *job, scope *expr.Scope) (string, error) {
	var v value.Value
	err := d.evalRegisteringSecrets(scope, func(scope *expr.Scope) (err error) {
		v, err = j.ComputedDataType.Eval(scope)
		return err
	})
	if err == nil {
		err = checkDataType(v, d.secrets, d.it.takenNames)
	}
	if err != nil {
		return "", failure.Userf("'dataType': %w", err).At(dataTypePointer(j))
	}
	return v.Text(), nil
}

// checkDataType returns a user error if a computed data type cannot name a table. taken
// are the names of other tables.
func checkDataType(v value.Value, secrets *secret.Registry, taken map[string]bool) error {
	text := v.Text()
	switch {
	case !v.IsScalar() && !v.IsNull():
		return failure.Userf("the value is %s, expected a text", v.Kind().WithArticle())
	case v.IsBlank():
		return failure.Userf("the value is null or empty, expected the name of a table; if it may be missing, add a \"default\"")
	case v.Secret() || secrets.MaskedSpans(text) != nil:
		return failure.Userf("the value was made of a secret, which the name of a table would show")
	case mapping.TableName(text) == "":
		return failure.Userf("the value %q has no letter, digit or dash, which the name of a table needs", text)
	case taken[mapping.TableName(text)]:
		return failure.Userf("the value %q is the name of another data type, of a mapping or of a child table: make another name, such as with a prefix", text)
	default:
		return nil
	}
}

func dataTypePointer(j *job) string {
	return failure.PointerJoin(j.Pointer, config.JobDataType.Name)
}

// compileComputedTables finds the names that computed data types must not have. It reports
// expressions that only such names can come from, and mappings that do not exist.
func (p *Program) compileComputedTables(secrets *secret.Registry) {
	taken := map[string]map[string]bool{} // keys are buckets
	p.eachIteration(func(it, first *iteration) {
		names := taken[it.Bucket]
		if names == nil {
			names = map[string]bool{}
			taken[it.Bucket] = names
		}
		it.takenNames = names
		for _, name := range first.mappings.Names() {
			names[name], names[mapping.TableName(name)] = true, true
		}
		for _, j := range withChildren(it.jobs) {
			if j.ComputedDataType == nil && !j.NotStored {
				names[mapping.TableName(j.DataType)] = true
			}
		}
	})
	p.eachIteration(func(it, first *iteration) {
		for _, j := range withChildren(it.jobs) {
			if j.ComputedDataType == nil || j.NotStored {
				continue
			}
			checkMappingName(j, first)
			if j.ComputedDataType.RefersBeyond(expr.Attr) {
				continue
			}
			v, err := j.ComputedDataType.Eval(&expr.Scope{Contexts: map[expr.Context]expr.Members{expr.Attr: it.attributes}})
			if err == nil {
				err = checkDataType(v, secrets, it.takenNames)
			}
			if err != nil {
				j.Problems().Add(failure.Problem{Code: failure.WrongValue, Pointer: dataTypePointer(j), Expected: "expected the name of a table of its own: " + failure.Part(err.Error())})
			}
		}
	})
}

// checkMappingName reports a mapping that does not exist. first is the iteration with the
// mappings.
func checkMappingName(j *job, first *iteration) {
	if j.Mapping == "" || first.mappings.Has(j.Mapping) {
		return
	}
	var names []string
	for _, m := range first.Mappings.Value.Members() {
		names = append(names, m.Name)
	}
	hint := failure.Text("there are none: add it to \"mappings\", or remove the key for an automatic mapping")
	if near, ok := failure.Nearest(j.Mapping, names); ok {
		hint = "did you mean " + field.Quoted(near) + "?"
	} else if len(names) > 0 {
		hint = "there are " + field.List(names)
	}
	field.NewSection(value.OfString(j.Mapping), failure.PointerJoin(j.Pointer, config.JobMapping.Name), j.Problems()).
		Problem("expected the name of a mapping", hint)
}

// templates returns the names of mappings that only computed data types have. No table has
// the name of such a mapping.
func templates(jobs []*job) []string {
	var names, fixed []string
	for _, j := range withChildren(jobs) {
		if j.ComputedDataType != nil && j.Mapping != "" {
			names = append(names, j.Mapping)
		} else if j.ComputedDataType == nil {
			fixed = append(fixed, j.DataType)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(fixed, name) })
}

// describeTables returns a sentence about the tables of a computed data type. pattern is
// the data type with stand-ins, or "" if it is not known before the run.
func describeTables(j *job, pattern string) string {
	text := fmt.Sprintf("Writes one table for each value of its 'dataType', at most %d", config.MaxComputedTables)
	if pattern != "" {
		text += ", such as " + pattern
	}
	if j.Mapping != "" {
		text += fmt.Sprintf("; they have the mapping %q", j.Mapping)
	}
	return text + "."
}
