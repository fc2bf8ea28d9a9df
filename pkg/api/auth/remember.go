package auth

import (
	"cmp"
	"context"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// loginRemember is the setting for values that a login leaves for the next login.
var loginRemember = field.Of("remember", "Remembered by the login", "Names and expressions of the login's response, for credentials that change with each login: the value is stored at once and stays even if the run fails. `{\"remembered\": NAME}` returns it in the next login, in this run or a later one. Null and the empty text change nothing. Names begin with `#`: what a login returns is a secret, which the platform encrypts.",
	&field.Type{Name: "loginRemember", Title: "object of expressions", Kinds: []string{"object"}, Others: config.ExpressionType, Message: "expected an object of names and expressions"}).
	Example(`{"#refresh_token": {"response": "refresh_token"}}`).As(field.RememberRole).Evaluated(expr.InLoginRemember)

// rememberEntry is one compiled entry of loginRemember.
type rememberEntry struct {
	RememberedName
	expr expr.Expr
}

// compileRemembered compiles loginRemember.
func (s CompileInput) compileRemembered(section config.Section) []rememberEntry {
	if section.Value.Kind() != value.Object {
		return nil
	}
	compiler := s.compiler(expr.InLoginRemember)
	compiler.Exact = true
	var all []rememberEntry
	for _, m := range section.Value.Members() {
		item := section.Get(m.Name)
		if name, marked := strings.CutPrefix(m.Name, "#"); name == "" || !marked {
			item.Fault(failure.InvalidRemember, "expected a name with a hash sign, because what a login returns is a secret and the state would show it",
				"write "+field.Quoted("#"+cmp.Or(name, "token")))
			continue
		}
		e := compiler.Compile(m.Value, item.Pointer)
		if _, constant := e.Constant(); constant {
			item.Fault(failure.InvalidRemember, `expected an expression of the login's response, such as {"response": "PATH"}`, "")
			continue
		}
		all = append(all, rememberEntry{RememberedName{m.Name, item.Pointer}, e})
	}
	return all
}

// Remembered returns the names that a method remembers after each of its logins.
func Remembered(m Method) []RememberedName {
	var names []RememberedName
	if l, ok := m.(interface{ compiledLogin() login }); ok {
		for _, r := range l.compiledLogin().remembered {
			names = append(names, r.RememberedName)
		}
	}
	return names
}

// LogsIn reports whether a method has a login. The method may be nil.
func LogsIn(m Method) bool {
	_, ok := m.(interface{ compiledLogin() login })
	return ok
}

// RememberedName is a remembered name with its JSON pointer.
type RememberedName struct{ Name, Pointer string }

// isBlank reports whether a value is null or the empty text, as from a "default". Such a
// value is no credential and must not replace another one.
func isBlank(v value.Value) bool { return v.IsNull() || v.Kind() == value.String && v.Raw() == "" }

// remember evaluates the remembered values and stores them for the next login. It returns
// the names of changed values. It runs before any other step that can fail, because the
// API may no longer accept the old values. For the same reason an error in one value does
// not keep the others from being stored. A replay stores no values, because a recording
// has no credentials.
func (s *session) remember(ctx context.Context, scope *expr.Scope) (changed []string, err error) {
	if s.deps.Player != nil {
		return nil, nil
	}
	hiding := *scope
	hiding.Conceal = s.deps.Secrets.AddToken
	for _, r := range s.remembered {
		v, failed := r.expr.Eval(&hiding)
		if failed == nil && !isBlank(v) {
			var other bool
			if other, failed = s.memory.SetDurable(r.Name, registerUsed(s.deps.Secrets.AddToken, v)); other {
				changed = append(changed, r.Name)
			}
		}
		if err == nil {
			err = failed
		}
	}
	if len(changed) > 0 && s.deps.Keep != nil {
		s.deps.Keep(ctx, s.memory.WithDurable)
	}
	return changed, err
}
