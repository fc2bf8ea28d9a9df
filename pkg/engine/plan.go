package engine

import (
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Plan is a document whose every part is compiled, ready to run. It does not
// change while it runs.
type Plan struct {
	doc        *config.Document
	target     exchange.Settings
	features   Features
	typed      bool
	iterations []iteration
}

// iteration is one run of all jobs.
type iteration struct {
	config.Iteration
	attributes expr.Members
	auth       auth.Method // nil when there is none
	mappings   mapping.Mappings
	jobs       []*job
}

// job is a job or child job with everything it needs compiled.
type job struct {
	config.Job
	child        bool
	scroller     paging.Scroller
	paged        config.Section // the settings of its scroller
	placeholders []placeholder
	filter       recursionFilter
	rows         responseFilter
	user         userData
	children     []*job
}

// Features are what a configuration can choose from.
type Features struct {
	Paging paging.Methods
	Auth   auth.Schemes
	// Functions are those that value expressions may call.
	Functions expr.Functions
}

// Compile lets every package read its sections of the document. Problems go to the
// document's list; nothing is sent. The tables will be typed (table.Table) or
// not.
func Compile(doc *config.Document, features Features, typed bool) *Plan {
	p := &Plan{doc: doc, features: features, target: exchange.Compile(doc), typed: typed}
	scrollers := paging.Compile(doc.API.Pagination, features.Paging)
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
		c := compiler{doc: doc, it: &compiled, scrollers: scrollers}
		compiled.jobs = c.jobs(it.Jobs, 0)
		p.iterations = append(p.iterations, compiled)
	}
	p.checkDataTypes()
	p.tolerateUnusedMappings()
	return p
}

// endpoints are those of all jobs of an iteration, as they are configured.
func (p *Plan) endpoints(it iteration) []string {
	all := []string{p.doc.API.DefaultOptions.Field(config.DefaultEndpoint.Name).Text()}
	var add func([]config.Job)
	add = func(jobs []config.Job) {
		for _, j := range jobs {
			all = append(all, j.Endpoint)
			add(j.Children)
		}
	}
	add(it.Jobs)
	return all
}

// Jobs is the number of root jobs of all iterations.
func (p *Plan) Jobs() int {
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
	scrollers paging.Scrollers
}

// jobs compiles jobs that have so many rows above them: 0 for root jobs.
func (c compiler) jobs(jobs []config.Job, above int) []*job {
	var all []*job
	for _, j := range jobs {
		compiled := &job{
			Job:      j,
			child:    above > 0,
			scroller: c.scroller(j),
			paged:    paging.ServedBy(c.doc.API.Pagination, j.Scroller),
			rows:     compileResponseFilter(j, c.it.CompatLevel),
			user:     c.userData(j, above == 0),
			children: c.jobs(j.Children, above+1),
		}
		if above > 0 {
			compiled.placeholders = compilePlaceholders(j.Placeholders, above, c.doc.Functions)
			compiled.filter = compileRecursionFilter(c.section(j, config.JobRecursionFilter, j.RecursionFilter))
		}
		all = append(all, compiled)
	}
	return all
}

// scroller is the scroller of a job. One that is not defined is a problem.
func (c compiler) scroller(j config.Job) paging.Scroller {
	scroller, err := c.scrollers.For(j.Scroller)
	if err != nil {
		c.section(j, config.JobScroller, j.Scroller).Fault(failure.UnknownScroller, failure.Part(err.Error()), "")
	}
	return scroller
}

// section is a setting of a job whose value is a text.
func (c compiler) section(j config.Job, setting field.Setting[string], text string) config.Section {
	return field.NewSection(value.OfString(text), failure.PointerJoin(j.Pointer, setting.Name), j.UserData.Problems())
}

// userData are the columns that a job's rows get: for root jobs those of
// `config` first.
func (c compiler) userData(j config.Job, root bool) userData {
	u := userData{pointer: j.UserData.Pointer}
	if root {
		u.entries = append(u.entries, compileUserData(c.it.UserData, config.UserData.Name, c.it.attributes, c.doc.Functions))
		u.renumbered = c.it.UserData.Present()
	}
	u.entries = append(u.entries, compileUserData(j.UserData, "job_parent_id", c.it.attributes, c.doc.Functions))
	return u
}
