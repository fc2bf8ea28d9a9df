package auth

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// LoginRemember is what a login leaves for the next one.
var LoginRemember = field.Of("remember", "Remembered by the login", "Names and expressions of the login's answer, for credentials that change with each login: the value is stored at once, stays when the run fails, and is what `{\"remembered\": NAME}` gives in the next login, in this run or the next one. Null changes nothing. A name with `#` is a secret, which the platform encrypts.",
	&field.Type{Name: "loginRemember", Title: "object of expressions", Kinds: []string{"object"}, Others: config.ExpressionType, Message: "expected an object of names and expressions"}).
	Example(`{"#refresh_token": {"response": "refresh_token"}}`)

// remembered is one name of LoginRemember.
type remembered struct {
	name string
	expr expr.Expr
}

// remembered compiles LoginRemember.
func (s Source) remembered(section config.Section) []remembered {
	if section.Value.Kind() != value.Object {
		return nil
	}
	compiler := s.compiler(expr.InLoginRemember)
	compiler.Exact = true
	var all []remembered
	for _, m := range section.Value.Members() {
		item := section.Get(m.Name)
		if m.Name == "" || m.Name == state.KeyIterations {
			item.Problem("expected a name that is not empty and not '"+state.KeyIterations+"'", "")
			continue
		}
		e := compiler.Compile(m.Value, item.Pointer)
		if _, constant := e.Constant(); constant {
			var hint failure.Text
			if m.Value.Kind() == value.String {
				hint = failure.Text(`write {"response": `) + failure.Part(m.Value.JSON()) + "} for the value at this path of the answer"
			}
			item.Problem("expected an expression of the login's answer", hint)
			continue
		}
		all = append(all, remembered{m.Name, e})
	}
	return all
}

// Remembered are the names that a method remembers after each of its logins.
func Remembered(m Method) []state.Name {
	if l, ok := m.(interface{ remembers() []state.Name }); ok {
		return l.remembers()
	}
	return nil
}

func (l login) remembers() []state.Name {
	var names []state.Name
	for _, r := range l.remembered {
		names = append(names, state.Name{Name: r.name})
	}
	return names
}

// remember stores what the next login needs of the answer in the scope, and returns the
// names of what has changed. It comes before anything else that can fail: the old
// values may be good for nothing now. So an error of one value leaves the others. A
// recording has no credentials: what they replaced stays.
func (s *session) remember(ctx context.Context, scope *expr.Scope) (changed []string, err error) {
	if s.deps.Player != nil {
		return nil, nil
	}
	hiding := *scope
	hiding.Conceal = s.deps.Secrets.AddToken
	for _, r := range s.remembered {
		v, failed := r.expr.Eval(&hiding)
		if failed == nil && !v.IsNull() {
			var other bool
			if other, failed = s.memory.Keep(r.name, concealUsed(s.deps.Secrets.AddToken, v)); other {
				changed = append(changed, r.name)
			}
		}
		if err == nil {
			err = failed
		}
	}
	if len(changed) > 0 && s.deps.Keep != nil {
		s.deps.Keep(ctx, s.memory.Kept)
	}
	return changed, err
}
