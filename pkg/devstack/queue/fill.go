package queue

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// fillVariables adds the values of variables to the result. It replaces the variables in
// steps, unless the component does it. A job shows the notices about the values and the
// names of replaced variables once.
func (r *execution) fillVariables(steps []step) error {
	var all variableValues
	defer func() {
		for _, v := range all.values {
			v.Value = r.secrets.mask.Mask(v.Value)
			r.result.Variables = append(r.result.Variables, v)
		}
	}()
	resolves := r.q.o.ResolveVariables
	var notices, replaced []string
	for i := range steps {
		s := &steps[i]
		found, err := r.q.valuesOf(r.job, s.doc)
		if err != nil && !resolves && failure.KindOf(err) == failure.User {
			continue // the component looks up its values and reports this error
		}
		if err != nil {
			return err
		}
		for _, v := range found.values {
			all.put(v.Name, v.Value)
		}
		var filled value.Value
		var names []string
		if resolves {
			if filled, names, err = r.q.resolve(s.doc, found); err != nil {
				return err
			}
		} else if filled, _, err = variables.Replace(s.doc, found.texts()); err != nil {
			filled = s.doc // the component reports this error
		}
		if len(found.values) > 0 {
			// A value below a key that begins with # is a secret, regardless of its source.
			r.secrets.collect(filled, false)
		}
		if resolves {
			s.doc = filled
		}
		if found.notice != "" && !slices.Contains(notices, found.notice) {
			notices = append(notices, found.notice)
		}
		for _, name := range names {
			if !slices.Contains(replaced, name) {
				replaced = append(replaced, name)
			}
		}
	}
	if !resolves {
		return nil
	}
	for _, notice := range notices {
		r.emitEvent(sandbox.Info, notice, "")
	}
	if len(replaced) > 0 {
		r.emitEvent(sandbox.Info, "Replaced values for variables: "+strings.Join(vaultFirst(replaced), ", "), "")
	}
	return nil
}

func vaultFirst(names []string) []string {
	ordered := slices.Clone(names)
	rank := func(name string) int {
		if strings.HasPrefix(name, "vault.") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(ordered, func(a, b string) int { return rank(a) - rank(b) })
	return ordered
}
