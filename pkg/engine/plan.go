package engine

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Program is a document whose every part is compiled, ready to run. It does not
// change while it runs.
type Program struct {
	doc        *config.Document
	target     httpclient.Settings
	features   Features
	typed      bool
	iterations []iteration
	// reads are the names of what expressions of the document read of earlier runs.
	reads []string
}

// iteration is one run of all jobs.
type iteration struct {
	config.Iteration
	attributes expr.Members
	auth       auth.Method // nil when there is none
	mappings   mapping.Mappings
	jobs       []*job
	// remembers are the names that its jobs remember, each once, and then those of its
	// login.
	remembers []rememberEntry
	// unstored are data types that only jobs have which store nothing.
	unstored []string
}

// job is a job or child job with everything it needs compiled.
type job struct {
	config.Job
	name     string // in events, see nameOf
	child    bool
	scroller pagination.Scroller
	// placesPageValues is set when its request has values of paging in its expressions.
	placesPageValues bool
	paged            config.Section // the settings of its scroller
	placeholders     []placeholder
	filter           condition.Condition
	rows             responseFilter
	rowFilter        condition.Condition
	user             userData
	remembers        []rememberEntry
	format           response.Format
	names            response.Columns // of values in lists
	// rules are those of the job; rules of the API come after them.
	rules rule.List
	// scrolled are the expressions of the scroller.
	scrolled []expr.Entries
	// parentItems are the paths in the items above it that its expressions refer to.
	parentItems []string
	// rememberedNames are the names that its expressions read.
	rememberedNames []string
	children        []*job
	parent          *job // nil for a root job
}

// Features are what a configuration can choose from.
type Features struct {
	Paging pagination.Methods
	Auth   auth.Schemes
	// Vocabulary is what value expressions consist of.
	Vocabulary expr.Vocabulary
}

// Compile lets every package read its sections of the document. Problems go to the
// document's list; nothing is sent. The tables will be typed (csvtable.Table) or
// not.
func Compile(doc *config.Document, features Features, typed bool) *Program {
	p := &Program{doc: doc, features: features, target: httpclient.Compile(doc), typed: typed}
	scrollers := pagination.Compile(doc.API.Pagination, features.Paging)
	pagination.CheckParameters(doc.API.Pagination, features.Paging, placedValueFinder(doc))
	format := response.Compile(doc.API.Response)
	mappings := map[string]mapping.Mappings{} // by their places: many iterations may share them
	for _, it := range doc.Iterations {
		if _, ok := mappings[it.Mappings.Pointer]; !ok {
			mappings[it.Mappings.Pointer] = mapping.CompileMappings(it.Mappings, typed)
		}
		compiled := iteration{
			Iteration:  it,
			attributes: expr.Flatten(it.Attributes),
			auth:       auth.Compile(doc, it, features.Auth),
			mappings:   mappings[it.Mappings.Pointer],
		}
		c := compiler{doc: doc, it: &compiled, scrollers: scrollers, format: format}
		compiled.jobs = c.jobs(it.Jobs, 0)
		compiled.remembers = c.remembersOf(compiled.jobs)
		compiled.remembers = c.remembersOfLogin(compiled.remembers)
		compiled.unstored = unstored(it.Jobs)
		p.iterations = append(p.iterations, compiled)
	}
	p.reads = doc.Vocabulary.All().References.Names(doc.Settings.Value, false, expr.Remembered)
	p.checkDataTypes()
	p.checkKeys()
	p.checkRestarts()
	p.tolerateUnusedMappings()
	return p
}

// placedValueFinder finds the values of paging that all jobs place whose scroller is at a place.
func placedValueFinder(doc *config.Document) func(pointer string) []string {
	placed := map[string][]string{}
	var add func([]config.Job)
	add = func(jobs []config.Job) {
		for _, j := range jobs {
			at, names := pagination.ServedBy(doc.API.Pagination, j.Scroller).Pointer, j.Placed()
			if others, ok := placed[at]; ok {
				names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(others, name) })
			}
			placed[at] = names
			add(j.Children)
		}
	}
	for _, it := range doc.Iterations {
		add(it.Jobs)
	}
	return func(pointer string) []string { return placed[pointer] }
}

// endpoints are those of the jobs of an iteration, as they are configured, which are
// asked with credentials, and those without. One that is computed is among them when
// it is made only of the configuration, the times of the run and a window,
// whose times change no address: data does not decide where credentials go.
func (p *Program) endpoints(it iteration, scope *expr.Scope) (with, without []string) {
	scope = scope.With(expr.Window, expr.WindowMembers(value.OfInt(0), value.OfInt(0)))
	with = []string{p.doc.API.DefaultOptions.Field(config.DefaultEndpoint.Name).Text()}
	var add func([]config.Job)
	add = func(jobs []config.Job) {
		for _, j := range jobs {
			to := &with
			if j.Anonymous {
				to = &without
			}
			if j.ComputedEndpoint == nil {
				*to = append(*to, j.Endpoint)
			} else if !j.ComputedEndpoint.RefersBeyond(expr.Attr, expr.Time, expr.Window) {
				if _, text, err := evalEndpoint(j.ComputedEndpoint, "", nil, scope); err == nil { // else the job reports it
					*to = append(*to, text)
				}
			}
			add(j.Children)
		}
	}
	add(it.Jobs)
	return with, without
}

// Jobs is the number of root jobs of all iterations.
func (p *Program) Jobs() int {
	n := 0
	for _, it := range p.iterations {
		n += len(it.jobs)
	}
	return n
}

// compiler compiles the jobs of one iteration.
type compiler struct {
	doc       *config.Document
	it        *iteration
	scrollers pagination.Scrollers
	format    response.Format // of jobs that name none
}

// jobs compiles jobs with this many rows above them: 0 for root jobs.
func (c compiler) jobs(jobs []config.Job, above int) []*job {
	var all []*job
	for _, j := range jobs {
		compiled := &job{
			Job:              j,
			name:             nameOf(j),
			child:            above > 0,
			scroller:         c.scroller(j),
			placesPageValues: len(j.Placed()) > 0,
			paged:            pagination.ServedBy(c.doc.API.Pagination, j.Scroller),
			rows:             compileResponseFilter(j, c.it.CompatLevel),
			rowFilter:        condition.CompileWords(j.RowFilter),
			user:             c.userData(j, above == 0),
			remembers:        c.remembers(j),
			format:           c.responseFormat(j),
			rules:            rule.Compile(j.Rules, rule.JobScope, c.doc.API.Retry.MaxWait),
			children:         c.jobs(j.Children, above+1),
		}
		compiled.names = response.CompileColumns(j.Columns, j.DataField.Delimiter)
		compiled.format.CheckColumns(compiled.names, j.DataField.KeyAs != "" || j.DataField.Parallel, j.Columns)
		for _, child := range compiled.children {
			child.parent = compiled
		}
		c.references(compiled)
		if above > 0 {
			compiled.placeholders = compilePlaceholders(j.Placeholders, above, c.doc.Vocabulary)
			compiled.filter = condition.Compile(c.section(j, config.JobRecursionFilter, j.RecursionFilter))
			checkBatches(compiled)
		}
		all = append(all, compiled)
	}
	return all
}

// scroller is the scroller of a job. One that is not defined is a problem.
func (c compiler) scroller(j config.Job) pagination.Scroller {
	scroller, err := c.scrollers.For(j.Scroller)
	if err != nil {
		c.section(j, config.JobScroller, j.Scroller).Fault(failure.UnknownScroller, failure.Part(err.Error()), "")
	}
	pagination.CheckPlaced(pagination.ServedBy(c.doc.API.Pagination, j.Scroller), j.Params.References(expr.Paging))
	return pagination.WithPlacedValues(scroller, j.Placed())
}

// responseFormat is what the responses of a job are written in.
func (c compiler) responseFormat(j config.Job) response.Format {
	format := c.format
	if j.Response.Present() {
		format = response.Compile(j.Response)
	}
	at := failure.PointerJoin(j.Pointer, config.JobDataField.Name)
	format.CheckDataField(dataPath(j), field.NewSection(value.OfString(j.DataField.Path), at, j.Problems()))
	format.CheckKeyAs(field.NewSection(value.OfString(j.DataField.KeyAs), failure.PointerJoin(at, config.DataFieldKeyAs.Name), j.Problems()))
	format.CheckParallel(field.NewSection(value.OfBool(j.DataField.Parallel), failure.PointerJoin(at, config.DataFieldParallel.Name), j.Problems()))
	return format
}

// dataPath is where the items of a job are.
func dataPath(j config.Job) response.Path {
	return response.Path{Text: j.DataField.Path, Separator: j.DataField.Delimiter}
}

// section is a setting of a job whose value is a text.
func (c compiler) section(j config.Job, setting field.Setting[string], text string) config.Section {
	return field.NewSection(value.OfString(text), failure.PointerJoin(j.Pointer, setting.Name), j.Problems())
}

// userData are the columns that a job's rows get: for root jobs those of
// `config` first.
func (c compiler) userData(j config.Job, root bool) userData {
	u := userData{pointer: j.UserData.Pointer}
	compiler := c.expressions(expr.InUserData, j.Family, j.UserData)
	if root {
		u.entries = append(u.entries, compileUserData(c.it.UserData, config.UserData.Name, compiler))
		u.renumbered = c.it.UserData.Present()
	}
	u.entries = append(u.entries, compileUserData(j.UserData, "job_parent_id", compiler))
	return u
}

// expressions compiles the expressions at a place that belongs to these jobs.
func (c compiler) expressions(place expr.Site, of config.JobScope, s config.Section) expr.Compiler {
	return of.Compiler(place, c.it.attributes, c.doc.Vocabulary, s.Problems())
}

// references compiles the expressions of a job's scroller, and finds what those of all
// its parts refer to.
func (c compiler) references(j *job) {
	for _, s := range pagination.Expressions(j.scroller) {
		compiler := c.expressions(expr.InShared, c.it.Family, j.UserData)
		compiler.Exact = true
		compile := compiler.Entries
		if strings.HasSuffix(s.Pointer, "/"+config.JobParams.Name) {
			compile = compiler.Params
		}
		j.scrolled = append(j.scrolled, compile(s.Value, s.Pointer))
	}
	j.parentItems = c.namesIn(j, expr.ParentItem)
	j.rememberedNames = c.namesIn(j, expr.Remembered)
}

// namesIn are the names in a context to which the expressions refer that are evaluated
// for a job, each once.
func (c compiler) namesIn(j *job, context expr.Context) []string {
	all := slices.Concat(j.Params.References(context), j.Headers.References(context), j.user.references(context), j.leaves(context))
	if j.ComputedEndpoint != nil {
		all = append(all, j.ComputedEndpoint.References(context)...)
	}
	if j.If != nil {
		all = append(all, j.If.References(context)...)
	}
	if j.Windows != nil {
		all = append(all, j.Windows.References(context)...)
	}
	all = append(all, c.it.References(context)...)
	for _, entries := range j.scrolled {
		all = append(all, entries.References(context)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
