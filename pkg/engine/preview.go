package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// PlannedRequest is the first request of a job or child job, as planned and not sent.
type PlannedRequest struct {
	// Iteration is the index of the iteration, counted from 0.
	Iteration int
	// Job is the name of the job as in events. Pointer is its JSON pointer.
	Job, Pointer string
	// Level is 0 for a root job, 1 for its children, and so on.
	Level int
	// Calls is a sentence that describes when a child job runs.
	Calls string
	// Windows is the number of windows of the job. It is 0 for a job without windows, or
	// if the number is known only during a run.
	Windows int
	// Window describes the first window. It is "" for a job without windows.
	Window string
	// Notes are sentences about special features of its requests and items.
	Notes []string
	// Login is the login request that is sent before it, or nil.
	Login *httpclient.Outgoing
	// LoginPointer is the JSON pointer of the login request.
	LoginPointer string
	LoginSources []request.Source
	// LoginRemembers are sentences about the values that the login leaves for the next
	// login.
	LoginRemembers []string
	// LoginRules are sentences about the rules for responses to the login.
	LoginRules []string
	// Request is nil if there is no request. Problem is the reason.
	Request *httpclient.Outgoing
	Problem error
	// Sources are the sources of the parts of the request.
	Sources []request.Source
	// Paging are sentences that describe how the job continues and stops.
	Paging []string
	// Rules are sentences about the rules for responses, in their order.
	Rules []string
	// Read are the values of earlier runs that the job, or the login before it, reads.
	Read []RememberedValue
	// Remembers are sentences about the values that the job leaves for the next run.
	Remembers []string
}

// Preview builds the first request of every job as Run does, iteration by iteration, and
// sends no request. standIn returns a text that replaces a value that is known only
// during a run. It must return the same text for the same name. Preview returns the error
// of the first request of a root job that cannot be built, because a run would end there,
// too.
func (p *Program) Preview(ctx context.Context, e *env.Run, standIn func(name string) string) ([]PlannedRequest, error) {
	r := p.newRun(e)
	r.standIn = standIn
	defer r.Close()
	var all []PlannedRequest
	for number, it := range p.iterations {
		r.dry = &httpclient.DryRun{}
		r.dry.Header, r.dry.Response = auth.DryRunResponse(it.auth, func(t auth.LoginValue) string { return standIn(standInName(t)) })
		client, err := r.client(it)
		if err != nil {
			return all, err
		}
		v := &previewer{
			jobRunner:      r.newJobRunner(it, client),
			requestSources: requestSources{it: it, doc: p.doc, features: p.features, secrets: e.Secrets},
			number:         number,
			standIn:        standIn,
		}
		for _, j := range it.jobs {
			if err = v.root(ctx, j); err != nil {
				break
			}
		}
		all = append(all, v.plannedRequests...)
		client.Close()
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// loginRemembers returns sentences about the values that the login of an iteration left.
func (v *previewer) loginRemembers() []string {
	var all []string
	for _, name := range auth.Remembered(v.jobRunner.it.auth) {
		if now := v.iterationValues.Current(name.Name, ""); !now.IsNull() {
			all = append(all, name.Name+" = "+now.Text()+", stored at once")
		}
	}
	return all
}

// standInName returns the name of the stand-in for a value that a login takes from its
// response.
func standInName(t auth.LoginValue) string {
	if t.Literal {
		return fmt.Sprintf("login: %s, or %q", t.Path, t.Path)
	}
	return "login: " + t.Path
}

// previewer previews the jobs of one iteration.
type previewer struct {
	*jobRunner
	requestSources
	number          int
	standIn         func(name string) string
	plannedRequests []PlannedRequest
}

// root previews a job and its children.
func (v *previewer) root(ctx context.Context, j *job) error {
	in := invocation{endpoint: j.Endpoint}
	d, in := v.forFirstWindow(j, in, func(in invocation) PlannedRequest { return v.planRequest(ctx, j, in) })
	idle := errors.Is(d.Problem, errNoWindow) || errors.Is(d.Problem, errSkipped)
	if d.Problem == nil || d.Login != nil || idle {
		v.plannedRequests = append(v.plannedRequests, d)
	}
	switch {
	case idle && v.doc.Action == "run": // other actions need a request
		return nil
	case d.Problem != nil:
		return failure.Wrap("job "+j.name, j.Pointer, d.Problem)
	}
	v.children(ctx, []*job{j}, in)
	return nil
}

// children previews the child jobs of above[0]. above is the job with the jobs above it,
// the nearest first.
func (v *previewer) children(ctx context.Context, above []*job, parent invocation) {
	for _, child := range above[0].children {
		values := parent.placeholderValues
		for _, p := range child.placeholders {
			values = withPlaceholder(values, v.standInFor(child, p, above))
		}
		items := expr.Members{}
		for _, name := range child.parentItems {
			if level, path := expr.SplitLevel(name); level <= len(above) {
				items[name] = value.OfString(v.standIn(fmt.Sprintf("%s of %q", path, above[level-1].name)))
			}
		}
		parents := make([]value.Packed, len(above)) // only the length is used
		endpoint, err := child.filledEndpoint(values)
		in := invocation{endpoint: endpoint, placeholderValues: values, parents: parents, items: items, window: parent.window}
		var d PlannedRequest
		if !child.Reachable {
			d = PlannedRequest{Problem: errors.New("it never runs: neither it nor a job above it has placeholders")}
		} else if err != nil {
			d = PlannedRequest{Problem: err}
		} else {
			d, in = v.forFirstWindow(child, in, func(in invocation) PlannedRequest { return v.planRequest(ctx, child, in) })
			d.Calls = describeCalls(child, above[0])
			d.Sources = append(d.Sources, placeholderSources(child, above)...)
		}
		d.Iteration, d.Job, d.Pointer, d.Level = v.number, child.name, child.Pointer, len(above)
		v.plannedRequests = append(v.plannedRequests, d)
		if errors.Is(d.Problem, errSkipped) {
			continue // the jobs below it do not run, either
		}
		v.children(ctx, append([]*job{child}, above...), in)
	}
}

// standInFor returns a placeholder with a stand-in. For a batch it is a list with one
// item, which represents all items.
func (v *previewer) standInFor(child *job, p placeholder, above []*job) placeholderValue {
	if child.Batch.Size == 0 {
		one := value.OfString(v.standIn(p.token + " ← " + p.describeSource(above)))
		return p.filledWith(one, one)
	}
	one := v.standIn(fmt.Sprintf("%s ← %d × %s", p.token, child.Batch.Size, p.describeSource(above)))
	list := value.OfItems(value.OfString(one))
	return p.filledWith(list, list)
}

// describeNotes returns sentences about special features of the requests and items of a job.
func describeNotes(j *job) []string {
	var all []string
	if j.If != nil {
		all = append(all, fmt.Sprintf("Runs only if %s is not null, false, zero or empty.", j.If.Text))
	}
	if l := j.RateLimit; l.Requests > 0 {
		all = append(all, fmt.Sprintf("Sends at most %s in %s.", textfmt.Count(l.Requests, "request"), describeSeconds(l.Per)))
	}
	if j.Anonymous {
		all = append(all, "Sends its requests without the credentials of the API.")
	}
	if key := j.DataField.KeyAs; key != "" {
		all = append(all, fmt.Sprintf("Each member of the object is an item, with its name as %q.", key))
	}
	if j.DataField.Parallel {
		all = append(all, "Each list of the object is a column: the first values form an item, the second values the next item, and so on.")
	}
	if j.Columns.Present() {
		all = append(all, "Each row is a list of values; 'dataField.columns' has their names.")
	}
	if filter := j.RowFilter.Value.Text(); filter != "" {
		all = append(all, fmt.Sprintf("Only items that match %q are kept.", filter))
	}
	if j.NotStored {
		all = append(all, "Its items are not stored. They are only the parents of child jobs.")
	}
	return all
}

// describeSeconds returns a duration as a text, such as "1 second" or "0.5 seconds".
func describeSeconds(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	return rule.Seconds(d) + " seconds"
}

// describeCalls returns a sentence that describes when a child job runs.
func describeCalls(child, parent *job) string {
	text := fmt.Sprintf("Called for each row of %q", parent.name)
	if size := child.Batch.Size; size > 0 {
		text = fmt.Sprintf("Called for each batch of at most %s of rows of %q", textfmt.Count(size, "value"), parent.name)
	}
	if child.RecursionFilter != "" {
		text += fmt.Sprintf(" that match %q", child.RecursionFilter)
	}
	if child.Batch.Across {
		text += ", which may be from several pages"
	}
	if child.ComputedEndpoint == nil && strings.HasPrefix(child.Endpoint, "{") {
		text += "; a value that is a complete URL is requested unchanged"
	}
	return text + "."
}

// describeSource describes the source of a placeholder value. above are the jobs above
// the child job.
func (p placeholder) describeSource(above []*job) string {
	text := fmt.Sprintf("%s of %q", p.path, above[p.level-1].name)
	if p.function != "" {
		text = "function " + p.function + " of " + text
	}
	return text
}

// planRequest plans the first request of a job.
func (v *previewer) planRequest(ctx context.Context, j *job, in invocation) PlannedRequest {
	d := PlannedRequest{Iteration: v.number, Job: j.name, Pointer: j.Pointer, Notes: describeNotes(j)}
	scope := v.scopeOf(in)
	base, err := v.request(j, in, scope)
	if err != nil {
		d.Problem = err
		return d
	}
	d.Read = v.rememberedValues(j.rememberedNames)
	for _, m := range j.remembers {
		d.Remembers = append(d.Remembers, m.describe())
	}
	first, _ := j.scroller.First(base.RequestSpec, v.run.Now())
	d.Paging = j.scroller.Describe(base.RequestSpec)
	if pagination.Pages(j.scroller) {
		d.Paging = append(d.Paging, repetitionRule)
	}
	d.Rules = append(j.rules.Describe(), v.run.plan.target.Rules.Describe()...)
	v.run.dry.Outgoing = nil
	full, headers, err := v.outgoing(j, first, scope)
	if err != nil {
		d.Problem = err
		return d
	}
	response, err := v.client.Do(ctx, full, httpclient.JobInfo{Accept: j.format.Accept, Anonymous: j.Anonymous, Headers: headers})
	if !errors.Is(err, httpclient.ErrNotSent) {
		if err == nil {
			err = errors.Join(failure.Applicationf("a request of a dry run got a response, expected none"), response.Body.Close())
		}
		d.Problem = err
	}
	for _, out := range v.run.dry.Outgoing {
		if out.Login {
			login := auth.LoginRequest.In(v.doc.API.Authentication)
			d.Read = append(v.rememberedValues(v.doc.Vocabulary.All().References.Names(login.Value, false, expr.Remembered)), d.Read...)
			d.Login, d.LoginPointer, d.LoginSources = &out, login.Pointer, v.loginSources(&out)
			d.LoginRemembers = v.loginRemembers()
			d.LoginRules = v.run.plan.target.LoginRules.Describe()
		} else {
			d.Request = &out
		}
	}
	if d.Request != nil {
		d.Sources = v.sources(j, base.RequestSpec, first, full, d.Request)
	}
	return d
}
