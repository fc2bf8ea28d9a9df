package config

import (
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

var dataTypeType = &field.Type{Name: "jobDataType", Title: "string or expression", Kinds: []string{"string", "number", "boolean", "object"}, Message: "expected a name or an expression"}

// MaxComputedTables is the maximum number of data types that the expression of one job
// makes in a run.
const MaxComputedTables = 200

// MappingName returns the name of the mapping of the job. There may be no such mapping.
func (j Job) MappingName() string {
	if j.ComputedDataType != nil {
		return j.Mapping
	}
	return j.DataType
}

// dataType sets the data type of a job if it is given, and the mapping of a data type that
// is an expression.
func (c *compiler) dataType(j *Job, s Section, e evaluator) {
	given, mapping := JobDataType.In(s), JobMapping.In(s)
	if !given.Present() || given.Value.Kind() != value.Object {
		j.DataType = JobDataType.Of(s)
		if mapping.Present() {
			mapping.Problem("expected an expression as \"dataType\" beside it, because a name is the name of its mapping too", "remove the key, or give the mapping the name of the data type")
		}
		return
	}
	if given.Faulty() {
		return
	}
	compiler := e.compilerFor(expr.InDataType, j.Family)
	compiler.Exact = true
	if _, ok := compiler.Parse(given.Value); !ok {
		_, hint := c.Vocabulary.NearMiss(expr.InDataType, given.Value)
		given.Problem("expected a name or an expression", hint)
		return
	}
	computed := compiler.Compile(given.Value, given.Pointer)
	j.ComputedDataType, j.Mapping = &computed, JobMapping.Of(s)
	for _, name := range computed.References(expr.Attr) {
		if e.attr[name].Secret() {
			given.Problem("expected an expression without secrets, because the name of a table shows its value", "")
			return
		}
	}
	if j.NotStored {
		c.warn(failure.NoEffect, given.Pointer, "has no effect: the job stores no rows", "remove the key, or \"store\"")
	}
}

// namedDataTypes returns the data types that `names` of jobs refer to.
func namedDataTypes(jobs Section) []string {
	var all []string
	for _, job := range jobs.Items() {
		if names := JobNames.In(job); names.Value.Kind() == value.Object {
			all = append(all, NamesDataType.In(names).Value.Text())
		}
		all = append(all, namedDataTypes(JobChildren.In(job))...)
	}
	return all
}
