package engine

import (
	"cmp"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// evaluator evaluates the expressions of the jobs of one iteration, and builds their
// requests.
type evaluator struct {
	it            iteration
	defaultMethod string
	secrets       *secret.Registry
	log           *event.Log
}

// request builds the first request of a job, without pagination parameters.
func (e *evaluator) request(j *job, in invocation, scope *expr.Scope) (pagination.BaseRequest, error) {
	var first value.Value
	base := pagination.BaseRequest{}
	if j.placesPageValues {
		request, _ := j.scroller.First(config.RequestSpec{}, scope.Now())
		first = request.Paging
		// A later page may be requested ahead, and more than once. Only the first page
		// warns.
		silent := scope.Warning(nil)
		base.WithValues = func(values value.Value) (config.RequestSpec, error) { return e.requestWith(j, in, silent, values) }
	}
	if j.scrollBody != nil {
		base.LaterBody = func(values value.Value) (body *config.RequestBody, err error) {
			err = e.evalRegisteringSecrets(withPageValues(scope.Warning(nil), values), func(scope *expr.Scope) (err error) {
				evaluated, err := j.scrollBody.Entries().Eval(scope)
				if err != nil {
					return err
				}
				if j.Anonymous {
					evaluated = evaluated.WithoutSecrets()
				}
				body, err = j.scrollBody.Fill(evaluated)
				return err
			})
			return body, err
		}
	}
	var err error
	base.RequestSpec, err = e.requestWith(j, in, scope, first)
	return base, err
}

// withPageValues returns a scope for expressions with {"paging": …}.
func withPageValues(scope *expr.Scope, values value.Value) *expr.Scope {
	members := expr.Members{}
	for _, m := range values.Members() {
		members[m.Name] = m.Value
	}
	return scope.With(expr.Paging, members)
}

// requestWith builds the request of a job. values are the pagination values for
// expressions with {"paging": …}.
func (e *evaluator) requestWith(j *job, in invocation, scope *expr.Scope, values value.Value) (r config.RequestSpec, err error) {
	if j.placesPageValues {
		scope = withPageValues(scope, values)
	}
	for _, f := range in.placeholderValues {
		for _, v := range f.values() {
			e.registerSecret(v)
		}
	}
	// The method decides where the scroller sends its parameters.
	r = config.RequestSpec{Endpoint: in.endpoint, Method: cmp.Or(j.Method, e.defaultMethod)}
	err = e.evalRegisteringSecrets(scope, func(scope *expr.Scope) (err error) {
		if j.ComputedEndpoint != nil {
			var v value.Value
			v, r.Endpoint, err = evalEndpoint(j.ComputedEndpoint, failure.PointerJoin(j.Pointer, config.JobEndpoint.Name), in.placeholderValues, scope)
			if err != nil {
				return err
			}
			e.registerSecret(v)
			if v.Secret() && r.Endpoint != v.Text() && expr.Conceals(r.Endpoint) {
				e.secrets.AddTemporary(r.Endpoint)
			}
		}
		if r.Params, err = j.Params.Eval(scope); err != nil {
			return err
		}
		if r.Body, err = j.Body.Eval(scope); err != nil {
			return err
		}
		r.Headers, err = j.Headers.Eval(scope)
		return err
	})
	e.secrets.AddAddress(r.Endpoint)
	return r, err
}

// registerSecret registers a secret value that becomes part of a text, such as a URL,
// because a text is not marked as secret.
func (e *evaluator) registerSecret(v value.Value) {
	if text := v.Text(); v.Secret() && expr.Conceals(text) {
		e.secrets.AddTemporary(text)
	}
}

// registerRemembered registers a value that is remembered under the name of a secret.
func (e *evaluator) registerRemembered(name string, v value.Value) {
	if text := v.Raw(); state.Secret(name) && expr.Conceals(text) { // masking a shorter secret would hide words of messages
		e.secrets.Add(text)
	}
}

// outgoing returns a request with the default options and the headers of all jobs. If the
// job is anonymous, it removes the secrets from both.
func (e *evaluator) outgoing(j *job, request config.RequestSpec, scope *expr.Scope) (full config.RequestSpec, headers []config.Header, err error) {
	err = e.evalRegisteringSecrets(scope, func(scope *expr.Scope) error {
		defaults, err := e.it.Defaults.Request(scope)
		if err != nil {
			return err
		}
		if headers, err = e.it.RequestHeaders(scope); err != nil {
			return err
		}
		if j.Anonymous {
			defaults, headers = defaults.WithoutCredentials(), config.WithoutCredentials(headers)
		}
		full = request.Over(defaults)
		return nil
	})
	if err == nil && j.ComputedType != "" {
		if text := full.ReplacedType(headers); text != "" {
			e.log.WarnOnce(event.ConfigWarning{Pointer: j.ComputedType, Text: text})
		}
	}
	return full, headers, err
}

// scrollerOf returns the scroller of a job with its expressions evaluated.
func (e *evaluator) scrollerOf(j *job, scope *expr.Scope) (pagination.Scroller, error) {
	if len(j.scrollerExpressions) == 0 {
		return j.scroller, nil
	}
	values := make([]value.Value, len(j.scrollerExpressions))
	err := e.evalRegisteringSecrets(scope, func(scope *expr.Scope) (err error) {
		for i, entries := range j.scrollerExpressions {
			if values[i], err = entries.Eval(scope); err != nil {
				return err
			}
			if j.Anonymous {
				values[i] = values[i].WithoutSecrets()
			}
		}
		return nil
	})
	return j.scroller.Evaluate(values), err
}

// evalRegisteringSecrets evaluates expressions of a job and registers the secrets that
// they compute. The secrets are registered permanently, unless they may depend on the
// page, on the time or on chance: then their number has no limit.
func (e *evaluator) evalRegisteringSecrets(given *expr.Scope, evaluate func(*expr.Scope) error) error {
	scope, hide := *given, e.secrets.Add
	if _, ok := given.Contexts[expr.Paging]; ok { // the secrets differ from page to page
		hide = e.secrets.AddTemporary
	}
	scope.Now = func() time.Time {
		hide = e.secrets.AddTemporary
		return given.Now()
	}
	var secrets []string
	scope.Random = func(n int) ([]byte, error) {
		hide = e.secrets.AddTemporary
		return given.Random(n)
	}
	scope.Conceal = func(secret string) { secrets = append(secrets, secret) }
	err := evaluate(&scope)
	for _, secret := range secrets {
		hide(secret)
	}
	return err
}

// warningCollector returns a function that appends warnings about expressions to events.
func warningCollector(events *[]event.Body) func(pointer, text string) {
	return func(pointer, text string) {
		*events = append(*events, event.ConfigWarning{Pointer: pointer, Text: text})
	}
}
