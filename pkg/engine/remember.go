package engine

import (
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/state"
)

// openMemories makes what each iteration remembers, unless the document has nothing to
// do with it.
func (r *run) openMemories(remembered *state.Remembered) {
	r.memories = map[string]*state.Memory{}
	names := make([][]state.Name, len(r.plan.iterations))
	none := true
	for i, it := range r.plan.iterations {
		names[i] = auth.Remembered(it.auth)
		none = none && len(names[i]) == 0
	}
	if none && len(r.plan.doc.Vocabulary.All().References.Names(r.plan.doc.Settings.Value, false, expr.Remembered)) == 0 {
		return
	}
	for i, it := range r.plan.iterations {
		if r.memories[it.Key] == nil {
			r.memories[it.Key] = remembered.Of(it.Key, names[i], func(text string) { r.Log.Emit(event.StateWarning{Text: text}) })
		}
	}
}
