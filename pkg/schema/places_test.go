package schema

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// TestPlacesOfExpressions: every setting with an expression says which place it is, itself
// or by the settings around it, and every place has a setting.
func TestPlacesOfExpressions(t *testing.T) {
	used := map[expr.Site]bool{}
	seen := map[*field.Type]bool{}
	expressions := 0
	var walk func(at string, of *field.Type, places []expr.Site)
	walk = func(at string, of *field.Type, places []expr.Site) {
		for ; of != nil; of = of.Base {
			if of == config.ExpressionType || strings.HasSuffix(of.Title, "or expression") {
				expressions++
				if len(places) == 0 {
					t.Errorf("%s: the places of this expression are not declared", at)
				}
			}
			if of == config.ExpressionType || seen[of] {
				continue
			}
			// Types without fields are shared by many settings.
			seen[of] = len(of.Fields) > 0
			for _, f := range of.Fields {
				here := places
				if f.Places != nil {
					here = f.Places
				}
				for _, p := range f.Places {
					used[p] = true
				}
				walk(at+"/"+f.Name, f.Type, here)
			}
			walk(at+"/*", of.Others, places)
			walk(at+"/-", of.Items, places)
		}
	}
	walk("", Default().Tree.Root(), nil)
	if expressions < 15 {
		t.Errorf("only %d expressions", expressions)
	}
	for _, r := range expr.AllReferences() {
		for _, p := range r.Where {
			if !used[p] {
				t.Errorf("%s: no setting is at this place", p)
			}
		}
	}
}
