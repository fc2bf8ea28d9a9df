package engine

import (
	"cmp"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// scope returns the scope of expressions that all jobs of an iteration share.
func (r *run) scope(it iteration) *expr.Scope {
	return &expr.Scope{
		Now:    r.Now,
		Random: func(n int) ([]byte, error) { return r.Random(n, "a function") },
		Contexts: map[expr.Context]expr.Members{
			expr.Attr:       it.attributes,
			expr.Time:       {"previousStart": r.time.Previous(), "currentStart": r.time.Current()},
			expr.Remembered: r.iterationValues[it.Key].AllBefore(),
		},
	}
}

// scopeOf returns the scope of the expressions of a job run.
func (jr *jobRunner) scopeOf(in invocation) *expr.Scope {
	scope := jr.scope
	if in.window != nil {
		scope = scope.With(expr.Window, in.window.members)
	}
	if len(in.parents) == 0 {
		return scope
	}
	placeholders := make(expr.Members, len(in.placeholderValues))
	for _, f := range in.placeholderValues {
		placeholders[f.token] = f.value
	}
	scope = scope.With(expr.Placeholder, placeholders).With(expr.ParentItem, in.items)
	if remembered, ok := jr.rememberedFor(in); ok {
		scope = scope.With(expr.Remembered, remembered)
	}
	return scope
}

// request builds the first request of a job, without pagination parameters.
func (jr *jobRunner) request(j *job, in invocation, scope *expr.Scope) (pagination.BaseRequest, error) {
	var first value.Value
	job := pagination.BaseRequest{}
	if j.placesPageValues {
		first = pagination.FirstValues(j.scroller)
		// A later page may be requested ahead, and more than once. Only the first page
		// warns.
		silent := scope.Warning(nil)
		job.WithValues = func(values value.Value) (config.RequestSpec, error) { return jr.requestWith(j, in, silent, values) }
	}
	var err error
	job.RequestSpec, err = jr.requestWith(j, in, scope, first)
	return job, err
}

// requestWith builds the request of a job. values are the pagination values for
// expressions with {"paging": …}.
func (jr *jobRunner) requestWith(j *job, in invocation, scope *expr.Scope, values value.Value) (r config.RequestSpec, err error) {
	if j.placesPageValues {
		members := expr.Members{}
		for _, m := range values.Members() {
			members[m.Name] = m.Value
		}
		scope = scope.With(expr.Paging, members)
	}
	for _, f := range in.placeholderValues {
		for _, v := range f.values() {
			jr.registerSecret(v)
		}
	}
	// The method decides where the scroller sends its parameters.
	method := cmp.Or(j.Method, jr.run.plan.doc.API.DefaultOptions.Field(config.DefaultMethod.Name).Text())
	r = config.RequestSpec{Endpoint: in.endpoint, Method: method}
	err = jr.evalRegisteringSecrets(scope, func(scope *expr.Scope) (err error) {
		if j.ComputedEndpoint != nil {
			if r.Endpoint, err = jr.computedEndpoint(j, in, scope); err != nil {
				return err
			}
		}
		if r.Params, err = j.Params.Eval(scope); err != nil {
			return err
		}
		r.Headers, err = j.Headers.Eval(scope)
		return err
	})
	jr.run.Secrets.AddAddress(r.Endpoint)
	return r, err
}

// computedEndpoint evaluates an endpoint that is an expression. It registers a secret in
// the endpoint, because the text of a URL is not marked as secret.
func (jr *jobRunner) computedEndpoint(j *job, in invocation, scope *expr.Scope) (string, error) {
	v, text, err := evalEndpoint(j.ComputedEndpoint, j.keyPointer(config.JobEndpoint.Name), in.placeholderValues, scope)
	if err != nil {
		return "", err
	}
	jr.registerSecret(v)
	if v.Secret() && text != v.Text() && expr.Conceals(text) {
		jr.run.Secrets.AddTemporary(text)
	}
	return text, nil
}

// evalEndpoint evaluates an endpoint. It returns the value and the text to send. Values
// in the text are percent-encoded.
func evalEndpoint(e *expr.Expr, pointer string, placeholders []placeholderValue, scope *expr.Scope) (v value.Value, text string, err error) {
	v, parts, err := e.Parts(scope)
	if err != nil {
		return v, "", err
	}
	if _, err = config.EndpointText(v, pointer); err != nil {
		return v, "", err
	}
	var pieces []httpclient.Piece
	for _, p := range parts {
		piece := httpclient.Piece{Text: p.Text, Value: p.Value, Encoded: p.Encoded, Name: "a value of the endpoint"}
		for _, f := range placeholders {
			if p.Placeholder == f.token && p.Placeholder != "" {
				piece = f.piece(p.Text)
			}
		}
		if p.Text != "" || p.Value {
			pieces = append(pieces, piece)
		}
	}
	if text, err = httpclient.Endpoint(pieces); err != nil {
		return v, "", failure.Userf("%w", err).At(pointer)
	}
	return v, text, nil
}

// registerSecret registers a secret value that becomes part of a text, because a text is
// not marked as secret.
func (jr *jobRunner) registerSecret(v value.Value) {
	if text := v.Text(); v.Secret() && expr.Conceals(text) {
		jr.run.Secrets.AddTemporary(text)
	}
}

// outgoing returns a request with the default options and the headers of all jobs. If the
// job is anonymous, it removes the secrets from both.
func (jr *jobRunner) outgoing(j *job, request config.RequestSpec, scope *expr.Scope) (full config.RequestSpec, headers []config.Header, err error) {
	err = jr.evalRegisteringSecrets(scope, func(scope *expr.Scope) error {
		defaults, err := jr.it.Defaults.Request(scope)
		if err != nil {
			return err
		}
		if headers, err = jr.it.RequestHeaders(scope); err != nil {
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
			jr.run.Log.WarnOnce(event.ConfigWarning{Pointer: j.ComputedType, Text: text})
		}
	}
	return full, headers, err
}

// scrollerOf returns the scroller of a job with its expressions evaluated.
func (jr *jobRunner) scrollerOf(j *job, scope *expr.Scope) (pagination.Scroller, error) {
	if len(j.scrollerExpressions) == 0 {
		return j.scroller, nil
	}
	values := make([]value.Value, len(j.scrollerExpressions))
	err := jr.evalRegisteringSecrets(scope, func(scope *expr.Scope) (err error) {
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
	return pagination.Evaluated(j.scroller, values), err
}

// columnsIn returns the columns that are added to the rows: user data and parent columns.
func (r *jobRun) columnsIn(scope *expr.Scope) (columns []mapping.Column, err error) {
	err = r.evalRegisteringSecrets(scope, func(scope *expr.Scope) (err error) {
		columns, err = r.user.columns(scope)
		return err
	})
	return append(columns, parentColumns(r.placeholderValues)...), err
}

// evalRegisteringSecrets evaluates expressions of a job and registers the secrets that
// they compute. The secrets are registered permanently, unless they may depend on the
// page, on the time or on chance: then their number has no limit.
func (jr *jobRunner) evalRegisteringSecrets(given *expr.Scope, evaluate func(*expr.Scope) error) error {
	scope, hide := *given, jr.run.Secrets.Add
	if _, ok := given.Contexts[expr.Paging]; ok { // the secrets differ from page to page
		hide = jr.run.Secrets.AddTemporary
	}
	scope.Now = func() time.Time {
		hide = jr.run.Secrets.AddTemporary
		return given.Now()
	}
	var secrets []string
	scope.Random = func(n int) ([]byte, error) {
		hide = jr.run.Secrets.AddTemporary
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

// columnsOf returns the columns that are added to the rows of a page.
func (r *jobRun) columnsOf(page *response.Page, res *httpclient.Response) ([]mapping.Column, error) {
	if !r.user.dependsOnPage() {
		return r.columns, nil
	}
	scope, err := r.responseScope(page, res, "an expression of 'userData'", r.user.references)
	if err != nil {
		return nil, err
	}
	return r.columnsIn(scope)
}

// responseScope returns the scope of a job with the members and headers of a response
// that expressions refer to. where names the expressions in errors.
func (r *jobRun) responseScope(page *response.Page, res *httpclient.Response, where failure.Text, references func(expr.Context) []string) (*expr.Scope, error) {
	responded, err := responseMembers(page, where, references(expr.Response))
	if err != nil {
		return nil, err
	}
	heads := expr.HeaderMembers(res.Header, references(expr.ResponseHeader))
	return r.scope.With(expr.Response, responded).With(expr.ResponseHeader, heads), nil
}

// responseMembers returns the values at paths of a response.
func responseMembers(page *response.Page, where failure.Text, paths []string) (expr.Members, error) {
	members := expr.Members{}
	for _, path := range paths {
		v, err := page.FieldFor(where, fieldPath(path))
		if err != nil {
			return nil, err
		}
		members[path] = v
	}
	return members, nil
}

func fieldPath(path string) response.Path { return response.Path{Text: path, Separator: "."} }

// itemsOf returns the values in the rows above a child job that its expressions refer to.
// It copies the values, because a row is valid only until the next row is read.
func itemsOf(child *job, parents []value.Packed) expr.Members {
	if len(child.parentItems) == 0 {
		return nil
	}
	items := make(expr.Members, len(child.parentItems))
	for _, name := range child.parentItems {
		if level, path := expr.SplitLevel(name); level <= len(parents) {
			items[name], _ = parents[level-1].At(path, ".")
		}
	}
	return items
}
