package lint

import (
	"maps"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// unsetAttributes finds references that always use their default, because neither
// `config` nor any item of `iterations` has the attribute. Without a default, such a
// reference is already an error.
func unsetAttributes(s settings, found *failure.Problems) {
	root := s.Compiled.Settings
	s.Compiled.Vocabulary.All().References.Walk(root.Value, root.Pointer, false, func(f expr.Form, pointer string) {
		name := f.Name.Raw()
		set := func(it config.Iteration) bool { _, ok := it.Attributes.At(name, "."); return ok }
		if !f.Is(expr.Attr) || !f.HasDefault || slices.ContainsFunc(s.Compiled.Iterations, set) {
			return
		}
		known := slices.Collect(maps.Keys(expr.Flatten(s.Compiled.Iterations[0].Attributes)))
		found.Add(failure.Problem{Code: failure.UnsetAttribute, Pointer: failure.PointerJoin(pointer, string(expr.Attr)), Found: field.Quoted(name),
			Expected: "no attribute has this name, so the default is always used", Hint: didYouMean(name, known)})
	})
}
