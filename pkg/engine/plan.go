package engine

import (
	"cmp"
	"net/http"
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
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Program is a compiled document, ready to run. A run does not change it.
type Program struct {
	doc        *config.Document
	target     httpclient.Settings
	features   Features
	typed      bool
	iterations []iteration
	// reads are the remembered names that expressions of the document read.
	reads []string
}

// iteration is one run of all jobs.
type iteration struct {
	config.Iteration
	// number is the number of the iteration in events, counted from 1. It is 0 if there is
	// only one iteration.
	number     int
	attributes expr.Members
	auth       auth.Method // nil without authentication
	mappings   mapping.Mappings
	jobs       []*job
	// remembers are the distinct names that its jobs remember, followed by the names of
	// its login.
	remembers []rememberEntry
	// unstored are the data types of jobs that store no rows.
	unstored []string
	// templates are the mappings that only computed data types have.
	templates []string
	// takenNames are the names that computed data types must not have. Iterations with the
	// same bucket share them.
	takenNames map[string]bool
}

// Features are the alternatives that a configuration can choose from.
type Features struct {
	Paging pagination.Methods
	Auth   auth.Schemes
	// Vocabulary contains the functions and references of value expressions.
	Vocabulary expr.Vocabulary
}

// Compile compiles the sections of the document. It adds problems to the problems of the
// document and sends no request. typed selects typed tables (csvtable.Table).
func Compile(doc *config.Document, features Features, typed bool) *Program {
	p := &Program{doc: doc, features: features, target: httpclient.Compile(doc), typed: typed}
	scrollers := pagination.Compile(doc.API.Pagination, features.Paging)
	pagination.CheckParameters(doc.API.Pagination, features.Paging, placedValueFinder(doc))
	format := response.Compile(doc.API.Response)
	type mappingKey struct {
		pointer      string
		textBooleans bool
	}
	mappings := map[mappingKey]mapping.Mappings{} // many iterations may share a mapping
	reading := readingScrollers(doc, format)
	for i, it := range doc.Iterations {
		key := mappingKey{it.Mappings.Pointer, it.TextBooleans}
		if _, ok := mappings[key]; !ok {
			mappings[key] = mapping.CompileMappings(it.Mappings, typed, it.TextBooleans)
		}
		compiled := iteration{
			Iteration:  it,
			attributes: expr.Flatten(it.Attributes),
			auth:       auth.Compile(doc, it, features.Auth),
			mappings:   mappings[key],
		}
		if len(doc.Iterations) > 1 {
			compiled.number = i + 1
		}
		c := compiler{doc: doc, it: &compiled, scrollers: scrollers, format: format, serves: reading}
		compiled.jobs = c.jobs(it.Jobs, 0)
		compileNames(compiled.jobs)
		compiled.remembers = c.allRemembers()
		compiled.unstored, compiled.templates = unstored(compiled.jobs), templates(compiled.jobs)
		p.iterations = append(p.iterations, compiled)
	}
	p.reads = doc.Vocabulary.All().References.Names(doc.Settings.Value, false, expr.Remembered)
	p.checkDataTypes()
	p.compileComputedTables(&secret.Registry{})
	p.checkKeys()
	p.checkRestarts()
	p.checkSharedBuckets()
	p.checkWindowLimits()
	p.checkLogins()
	p.checkStartOvers()
	p.tolerateUnusedMappings()
	return p
}

// placedValueFinder returns a function from the pointer of a scroller to its placed
// values: the pagination values that the expressions of all jobs with this scroller refer
// to.
func placedValueFinder(doc *config.Document) func(pointer string) []string {
	placed := map[string][]string{}
	for _, it := range doc.Iterations {
		eachJob(it.Jobs, func(j config.Job) {
			at, names := pagination.ServedBy(doc.API.Pagination, j.Scroller).Pointer, j.Placed()
			if others, ok := placed[at]; ok {
				names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(others, name) })
			}
			placed[at] = names
		})
	}
	return func(pointer string) []string { return placed[pointer] }
}

// readingScrollers returns a function that reports whether the scroller at a pointer
// serves a job that reads its responses. format is the format of jobs without a format.
func readingScrollers(doc *config.Document, format response.Format) func(pointer string) bool {
	reading := map[string]bool{}
	for _, it := range doc.Iterations {
		eachJob(it.Jobs, func(j config.Job) {
			isFile := format.IsFile()
			if j.Response.Present() {
				isFile = response.NamesFile(j.Response)
			}
			if !isFile {
				reading[pagination.ServedBy(doc.API.Pagination, j.Scroller).Pointer] = true
			}
		})
	}
	return func(pointer string) bool { return reading[pointer] }
}

// endpoints returns the configured endpoints of an iteration that are requested with
// credentials, and without them. It includes a computed endpoint only if the endpoint
// depends only on the configuration, the times of the run and a window, because response
// data must not decide where credentials are sent. A window gets stand-in times, which do
// not change the origin.
func (p *Program) endpoints(it iteration, scope *expr.Scope) (with, without []string) {
	scope = scope.With(expr.Window, expr.WindowMembers(value.OfInt(0), value.OfInt(0)))
	with = []string{p.doc.API.DefaultOptions.Field(config.DefaultEndpoint.Name).Text()}
	for _, j := range withChildren(it.jobs) {
		to := &with
		if j.Anonymous {
			to = &without
		}
		if j.ComputedEndpoint == nil {
			*to = append(*to, j.Endpoint)
		} else if !j.ComputedEndpoint.RefersBeyond(expr.Attr, expr.Time, expr.Window) {
			if _, text, err := evalEndpoint(j.ComputedEndpoint, "", nil, scope); err == nil { // the job reports an error
				*to = append(*to, text)
			}
		}
	}
	return with, without
}

// Jobs returns the number of root jobs of all iterations.
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
	format    response.Format // format of jobs without a format
	// serves reports whether the scroller at a pointer serves a job that reads its
	// responses.
	serves func(pointer string) bool
}

// jobs compiles jobs. above is the number of jobs above them, 0 for root jobs.
func (c compiler) jobs(jobs []config.Job, above int) []*job {
	var all []*job
	for _, j := range jobs {
		compiled := &job{
			Job:       j,
			name:      nameOf(j),
			iteration: c.it.number,
			scroller:  c.scroller(j),
			paged:     pagination.ServedBy(c.doc.API.Pagination, j.Scroller),
			rows:      compileResponseFilter(j, c.it.CompatLevel),
			rowFilter: condition.CompileWords(j.RowFilter),
			user:      c.userData(j, above == 0),
			remembers: c.remembers(j),
			format:    c.responseFormat(j),
			rules:     rule.Compile(j.Rules, rule.JobScope, c.doc.API.Retry.MaxWait),
			children:  c.jobs(j.Children, above+1),
		}
		compiled.scrollBody = c.scrollBody(compiled)
		compiled.placesPageValues = len(c.placed(compiled)) > 0
		compiled.scroller = compiled.scroller.Place(c.placed(compiled))
		compiled.names = response.CompileColumns(j.Columns, j.DataField.Delimiter)
		compiled.format.CheckColumns(compiled.names, j.DataField.KeyAs != "" || j.DataField.Parallel, j.Columns)
		c.file(compiled)
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

// scroller returns the scroller of a job. It reports an undefined scroller.
func (c compiler) scroller(j config.Job) pagination.Scroller {
	scroller, err := c.scrollers.For(j.Scroller)
	if err != nil {
		c.section(j, config.JobScroller, j.Scroller).Fault(failure.UnknownScroller, failure.Part(err.Error()), "")
	}
	pagination.CheckPlaced(pagination.ServedBy(c.doc.API.Pagination, j.Scroller), j.Params.References(expr.Paging))
	return scroller
}

// scrollBody compiles the body of the later pages of a job.
func (c compiler) scrollBody(j *job) *config.BodyTemplate {
	s := j.scroller.Body
	if !s.Present() {
		return nil
	}
	compiler := c.it.Family.Compiler(expr.InScrollBody, c.it.attributes, c.doc.Vocabulary, j.UserData.Problems())
	compiler.Known[expr.Paging] = expr.Members{}
	for _, name := range j.Family.Paging {
		compiler.Known[expr.Paging][name] = value.Value{}
	}
	return config.CompileBody(s, cmp.Or(j.scroller.Method, j.Method, c.doc.API.DefaultOptions.Field(config.DefaultMethod.Name).Text(), http.MethodGet), compiler)
}

// placed returns the names of the paging values that the requests of a job refer to.
func (c compiler) placed(j *job) []string {
	names := append(j.Placed(), j.scrollBody.References(expr.Paging)...)
	slices.Sort(names)
	return slices.Compact(names)
}

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

func (c compiler) section(j config.Job, setting field.Setting[string], text string) config.Section {
	return field.NewSection(value.OfString(text), failure.PointerJoin(j.Pointer, setting.Name), j.Problems())
}

// userData compiles the user data of a job. A root job also has the user data of
// `config`, which comes first.
func (c compiler) userData(j config.Job, root bool) userData {
	u := userData{pointer: j.UserData.Pointer}
	compiler := j.Family.Compiler(expr.InUserData, c.it.attributes, c.doc.Vocabulary, j.UserData.Problems())
	if root {
		u.entries = append(u.entries, compileUserData(c.it.UserData, config.UserData.Name, compiler))
		u.renumbered = c.it.UserData.Present()
	}
	u.entries = append(u.entries, compileUserData(j.UserData, "job_parent_id", compiler))
	return u
}

// references compiles the expressions of the scroller of a job, and collects the
// references of all expressions of the job.
func (c compiler) references(j *job) {
	for _, s := range j.scroller.Expressions {
		compiler := c.it.Family.Compiler(expr.InShared, c.it.attributes, c.doc.Vocabulary, j.UserData.Problems())
		compiler.Exact = true
		compile := compiler.Entries
		if strings.HasSuffix(s.Pointer, "/"+config.JobParams.Name) {
			compile = compiler.Params
		}
		j.scrollerExpressions = append(j.scrollerExpressions, compile(s.Value, s.Pointer))
	}
	j.parentItems = c.referencedNames(j, expr.ParentItem)
	j.rememberedNames = c.referencedNames(j, expr.Remembered)
	j.times = c.timesOf(j)
	j.sentRemembered = c.sentNames(j, expr.Remembered)
	j.roundEntries = roundEntries(j)
}

// referencedNames returns the distinct names in a context that expressions of a job refer
// to.
func (c compiler) referencedNames(j *job, context expr.Context) []string {
	all := slices.Concat(c.sentNames(j, context), j.user.references(context), j.rememberReferences(context), j.file.References(context))
	if j.If != nil {
		all = append(all, j.If.References(context)...)
	}
	if j.Windows != nil {
		all = append(all, j.Windows.References(context)...)
	}
	if j.ComputedDataType != nil {
		all = append(all, j.ComputedDataType.References(context)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// timesOf returns the times of the run that a job reads.
func (c compiler) timesOf(j *job) []string {
	text := c.doc.Root.Value.Lookup(failure.PointerSplit(j.Pointer)) // also what no part of the job evaluates itself
	return append(c.referencedNames(j, expr.Time), c.doc.Vocabulary.All().References.Names(text, false, expr.Time)...)
}

// eachJob calls visit for the jobs and all jobs below them.
func eachJob(jobs []config.Job, visit func(config.Job)) {
	for _, j := range jobs {
		visit(j)
		eachJob(j.Children, visit)
	}
}
