package engine

import (
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/state"
)

// openMemories makes what each iteration remembers, unless the document has nothing to
// do with it.
func (r *run) openMemories(remembered *state.Remembered) {
	r.memories = map[string]*state.Memory{}
	if len(r.plan.doc.Vocabulary.All().References.Names(r.plan.doc.Settings.Value, false, expr.Remembered)) == 0 {
		return
	}
	for _, it := range r.plan.iterations {
		if r.memories[it.Key] == nil {
			r.memories[it.Key] = remembered.Of(it.Key, nil, func(text string) { r.Log.Emit(event.StateWarning{Text: text}) })
		}
	}
}
