package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// PlannedRequest is the first request of a job, or the login before it, as planned and not
// sent.
type PlannedRequest struct {
	Iteration int    // index of the iteration, counted from 0
	Job       string // name of the job as in events
	Pointer   string // JSON pointer of the job or of the login request
	Level     int    // 0 for a root job, 1 for its children, and so on
	PlannedFacts
	Login    *PlannedRequest      // login before the request, or nil
	Outgoing *httpclient.Outgoing // nil if there is no request
	Problem  error                // reason why there is no request
}

// PlannedFacts describe a planned request in sentences. Their JSON form is part of the
// output of `plan`.
type PlannedFacts struct {
	// Calls describes when a child job runs.
	Calls string `json:"calls,omitempty"`
	// Windows is the number of windows of the job. It is 0 for a job without windows, or
	// if the number is known only during a run.
	Windows int `json:"windows,omitempty"`
	// Window describes the first window. It is "" for a job without windows.
	Window string `json:"window,omitempty"`
	// Notes are about special features of its requests and items.
	Notes []string `json:"notes,omitempty"`
	// Sources are the sources of the parts of the request.
	Sources []request.Source `json:"sources,omitempty"`
	// Paging describes how the job continues and stops.
	Paging []string `json:"paging,omitempty"`
	// Rules are the rules for responses, in their order.
	Rules []string `json:"rules,omitempty"`
	// Read are the values of earlier runs that the job, or the login before it, reads.
	Read []RememberedValue `json:"read,omitempty"`
	// Remembers are the values for the next run, or for the next login.
	Remembers []string `json:"remembers,omitempty"`
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
	if err := r.checkDeclaredTypes(); err != nil {
		return nil, err
	}
	var all []PlannedRequest
	for number, it := range p.iterations {
		planned, err := r.preview(ctx, number, it)
		all = append(all, planned...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func (r *run) preview(ctx context.Context, number int, it iteration) ([]PlannedRequest, error) {
	r.dry = &httpclient.DryRun{}
	r.dry.Header, r.dry.Response = auth.DryRunResponse(it.auth, r.standIn)
	client, err := r.client(it)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	v := &previewer{jobRunner: r.newJobRunner(it, client), index: number}
	for _, j := range it.jobs {
		if err := v.root(ctx, j); err != nil {
			return v.planned, err
		}
	}
	return v.planned, nil
}

// previewer previews the jobs of one iteration.
type previewer struct {
	*jobRunner
	index   int // index of the iteration
	planned []PlannedRequest
}

// root previews a job and its children.
func (v *previewer) root(ctx context.Context, j *job) error {
	d := PlannedRequest{Iteration: v.index, Job: j.name, Pointer: j.Pointer}
	in := v.plan(ctx, &d, j, invocation{endpoint: j.Endpoint})
	idle := neverRuns(d.Problem)
	if d.Problem == nil || d.Login != nil || idle {
		v.planned = append(v.planned, d)
	}
	if idle && v.run.program.doc.Action == "run" { // other actions need a request
		return nil
	}
	if d.Problem != nil {
		return failure.Wrap("job "+j.name, j.Pointer, d.Problem)
	}
	v.children(ctx, j, 1, in)
	return nil
}

func neverRuns(problem error) bool {
	return errors.Is(problem, errNoWindow) || errors.Is(problem, errSkipped)
}

// children previews the child jobs of a job. level is the number of jobs above them.
func (v *previewer) children(ctx context.Context, parent *job, level int, above invocation) {
	for _, child := range parent.children {
		d := PlannedRequest{Iteration: v.index, Job: child.name, Pointer: child.Pointer, Level: level}
		in := v.invocationOf(child, level, above)
		if !child.Reachable {
			d.Problem = errors.New("it never runs: neither it nor a job above it has placeholders")
		} else if in.endpoint, d.Problem = child.filledEndpoint(in.placeholderValues); d.Problem == nil {
			d.Calls = describeCalls(child)
			in = v.plan(ctx, &d, child, in)
		}
		v.planned = append(v.planned, d)
		if !neverRuns(d.Problem) { // otherwise the jobs below it do not run, either
			v.children(ctx, child, level+1, in)
		}
	}
}

// invocationOf returns the invocation of a child job with stand-ins for the values of the
// rows above it. For a batch a placeholder is a list with one item, which represents all
// items.
func (v *previewer) invocationOf(child *job, level int, above invocation) invocation {
	in := invocation{placeholderValues: above.placeholderValues, window: above.window, items: expr.Members{}}
	in.parents = make([]value.Packed, level) // only the length is used
	for _, p := range child.placeholders {
		source := p.describeSource(child)
		if size := child.Batch.Size; size > 0 {
			source = fmt.Sprintf("%d × %s", size, source)
		}
		filled := value.OfString(v.run.standIn(p.token + " ← " + source))
		if child.Batch.Size > 0 {
			filled = value.OfItems(filled)
		}
		in.placeholderValues = withPlaceholder(in.placeholderValues, p.filledWith(filled, filled))
	}
	for _, name := range child.parentItems {
		if up, path := expr.SplitLevel(name); up <= level {
			in.items[name] = value.OfString(v.run.standIn(fmt.Sprintf("%s of %q", path, child.ancestor(up).name)))
		}
	}
	return in
}

// plan plans the first run of a job and returns its invocation.
func (v *previewer) plan(ctx context.Context, d *PlannedRequest, j *job, in invocation) invocation {
	d.Notes = append(describeNotes(j), describeLimits(v.it, j)...)
	if in, d.Problem = v.firstRun(d, j, in); d.Problem == nil {
		d.Problem = v.planRequest(ctx, d, j, in)
	}
	return in
}

// firstRun returns the invocation of a job for the first of its windows. Bounds that
// depend on data get stand-ins. It returns errSkipped if the value of `if` is known before
// the run and skips the job.
func (v *previewer) firstRun(d *PlannedRequest, j *job, in invocation) (invocation, error) {
	known := []expr.Context{expr.Attr, expr.Time, expr.Remembered}
	if in.window == nil || in.window.of > 0 {
		known = append(known, expr.Window)
	}
	if j.If != nil && !j.If.RefersBeyond(known...) {
		if shouldRun, err := v.shouldRun(j, in, nil); err != nil || !shouldRun {
			return in, cmp.Or(err, errSkipped)
		}
	}
	if j.Windows == nil {
		return in, nil
	}
	if j.Windows.RefersBeyond(known...) || !j.Windows.Known(v.scopeOf(in)) {
		d.Window = "known only during a run, because they depend on rows or variables"
		in.window = &jobWindow{members: expr.WindowMembers(
			value.OfString(v.run.standIn(fmt.Sprintf("start of a window of %q", j.name))),
			value.OfString(v.run.standIn(fmt.Sprintf("end of a window of %q", j.name))))}
		return in, nil
	}
	first, err := v.firstWindow(j, in)
	if err != nil {
		return in, err
	}
	d.Windows, d.Window = first.window.of, first.window.String()
	if first.window.secret {
		d.Window = "computed from a secret"
	}
	return first, nil
}

// planRequest plans the first request of a job, and the login before it.
func (v *previewer) planRequest(ctx context.Context, d *PlannedRequest, j *job, in invocation) error {
	r, err := v.start(j, in)
	if err != nil {
		return err
	}
	if j.ComputedDataType != nil && !j.NotStored {
		d.Notes = append(d.Notes, describeTables(j, r.pipeline.dataType))
	}
	read := j.rememberedNames
	for _, m := range j.remembers {
		d.Remembers = append(d.Remembers, m.describe())
	}
	doc, target := v.run.program.doc, v.run.program.target
	v.run.dry.Outgoing = nil
	s := r.stream
	first, state := s.scroller.First(s.base.RequestSpec, v.run.Now())
	_, err = serial{v.jobRunner, r, in.position}.sendNext(ctx, first, state, pagination.PageInfo{})
	for _, out := range v.run.dry.Outgoing {
		if out.Login {
			login := auth.LoginRequest.In(doc.API.Authentication)
			read = append(doc.Vocabulary.All().References.Names(login.Value, false, expr.Remembered), read...)
			facts := PlannedFacts{Sources: out.Sources, Rules: target.LoginRules.Describe(), Remembers: v.loginRemembers()}
			d.Login = &PlannedRequest{Iteration: v.index, Job: j.name, Pointer: login.Pointer, PlannedFacts: facts, Outgoing: &out}
			continue
		}
		d.Outgoing, d.Sources = &out, out.Sources
		d.Paging = append(j.scroller.Describe(s.base.RequestSpec), describeRounds(j)...)
		if !j.scroller.Single {
			d.Paging = append(d.Paging, repetitionRule)
		}
		d.Rules = append(j.rules.Describe(), target.Rules.Describe()...)
	}
	d.Read = v.rememberedValues(read)
	if errors.Is(err, httpclient.ErrNotSent) {
		return nil
	}
	return err
}

// loginRemembers returns sentences about the values that the login of the iteration left.
func (v *previewer) loginRemembers() []string {
	var all []string
	for _, name := range auth.Remembered(v.it.auth) {
		if now := v.iterationValues.Current(name.Name, ""); !now.IsNull() {
			all = append(all, name.Name+" = "+now.Text()+", stored at once")
		}
	}
	return all
}

// describeNotes returns sentences about special features of the requests and items of a job.
func describeNotes(j *job) []string {
	var all []string
	note := func(applies bool, text string) {
		if applies {
			all = append(all, text)
		}
	}
	if j.If != nil {
		note(true, fmt.Sprintf("Runs only if %s is not null, false, zero or empty.", j.If.Text))
	}
	filter := j.RowFilter.Value.Text()
	note(j.RateLimit.Requests > 0, fmt.Sprintf("Sends at most %s in %s.", textfmt.Count(j.RateLimit.Requests, "request"), textfmt.Seconds(j.RateLimit.Per.Seconds())))
	note(j.Anonymous, "Sends its requests without the credentials of the API.")
	note(j.DataField.KeyAs != "", fmt.Sprintf("Each member of the object is an item, with its name as %q.", j.DataField.KeyAs))
	note(j.DataField.Parallel, "Each list of the object is a column: the first values form an item, the second values the next item, and so on.")
	note(j.Columns.Present(), "Each row is a list of values; 'dataField.columns' has their names.")
	note(filter != "", fmt.Sprintf("Only items that match %q are kept.", filter))
	note(j.format.IsFile(), j.describeFile())
	if j.source != nil {
		note(true, j.source.describe())
	}
	note(j.NotStored && len(j.feeds) > 0 && len(j.children) == 0, "Its items are not stored. They only have names for later jobs.")
	note(j.NotStored && (len(j.feeds) == 0 || len(j.children) > 0), "Its items are not stored. They are only the parents of child jobs.")
	return all
}

// describeCalls returns a sentence that describes when a child job runs.
func describeCalls(child *job) string {
	text := fmt.Sprintf("Called for each row of %q", child.parent.name)
	if size := child.Batch.Size; size > 0 {
		text = fmt.Sprintf("Called for each batch of at most %s of rows of %q", textfmt.Count(size, "value"), child.parent.name)
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
