package queue

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// variableFiller replaces the variables in all steps of a job. It collects the notices
// about the values and the names of replaced variables, which a job shows once.
type variableFiller struct {
	run               *run
	values            variableValues
	notices, replaced []string
}

// fillVariables adds the values of variables to the result. It replaces the variables in
// steps, unless the component does it.
func (r *run) fillVariables(steps []step) error {
	f := variableFiller{run: r}
	var err error
	for i := 0; i < len(steps) && err == nil; i++ {
		err = f.step(&steps[i])
	}
	for _, v := range f.values.values {
		v.Value = r.secrets.mask.Mask(v.Value)
		r.result.Variables = append(r.result.Variables, v)
	}
	if !r.q.o.ResolveVariables || err != nil {
		return err
	}
	for _, notice := range f.notices {
		r.emitEvent(sandbox.Info, notice, "")
	}
	if len(f.replaced) > 0 {
		r.emitEvent(sandbox.Info, "Replaced values for variables: "+strings.Join(vaultFirst(f.replaced), ", "), "")
	}
	return nil
}

func (f *variableFiller) step(s *step) error {
	q := f.run.q
	found, err := q.valuesOf(f.run.job, s.doc)
	if err != nil && !q.o.ResolveVariables && failure.KindOf(err) == failure.User {
		return nil // the component looks up its values and reports this error
	}
	if err != nil {
		return err
	}
	for _, v := range found.values {
		f.values.put(v.Name, v.Value)
	}
	filled, names, err := f.fill(s, found)
	if err != nil {
		return err
	}
	if len(found.values) > 0 {
		// A value below a key that begins with # is a secret, regardless of its source.
		f.run.secrets.collect(filled.doc)
	}
	if q.o.ResolveVariables {
		*s = filled
	}
	if found.notice != "" && !slices.Contains(f.notices, found.notice) {
		f.notices = append(f.notices, found.notice)
	}
	for _, name := range names {
		if !slices.Contains(f.replaced, name) {
			f.replaced = append(f.replaced, name)
		}
	}
	return nil
}

// fill returns the step with its variables replaced. If the component replaces variables,
// fill ignores errors: the component reports them.
func (f *variableFiller) fill(s *step, found variableValues) (filled step, names []string, err error) {
	filled = *s
	if f.run.q.o.ResolveVariables {
		filled.doc, names, err = f.run.q.resolve(s.doc, found)
		return filled, names, err
	}
	if doc, _, err := variables.Replace(s.doc, found.texts()); err == nil {
		filled.doc = doc
	}
	return filled, nil, nil
}

// vaultFirst returns the names sorted so that names from the vault come first.
func vaultFirst(names []string) []string {
	ordered := slices.Clone(names)
	slices.SortStableFunc(ordered, func(a, b string) int { return vaultRank(a) - vaultRank(b) })
	return ordered
}

func vaultRank(name string) int {
	if strings.HasPrefix(name, "vault.") {
		return 0
	}
	return 1
}
