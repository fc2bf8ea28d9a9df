package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
)

// job is a compiled job or child job.
type job struct {
	config.Job
	name      string // name in events, see nameOf
	iteration int    // iteration.number
	scroller  pagination.Scroller
	// placesPageValues is true if an expression of its request refers to pagination
	// values.
	placesPageValues bool
	paged            config.Section       // settings of its scroller
	scrollBody       *config.BodyTemplate // body of later pages, or nil
	placeholders     []placeholder
	filter           condition.Condition
	rows             responseFilter
	rowFilter        condition.Condition
	user             userData
	remembers        []rememberEntry
	format           response.Format
	names            response.Columns // names of the values of an item that is a list
	file             expr.Entries     // `file`, for responses in the format file
	// rules are the rules of the job. The rules of the API follow them.
	rules rule.List
	// scrollerExpressions are the expressions of the scroller.
	scrollerExpressions []expr.Entries
	// parentItems are the paths in items of jobs above it that its expressions refer to.
	parentItems []string
	// sentRemembered are the remembered names that its request contains. roundEntries are
	// the values of `remember` with which it starts over.
	sentRemembered []string
	roundEntries   []rememberEntry
	// rememberedNames are the remembered names that its expressions read.
	rememberedNames []string
	// times are the times of the run that it reads.
	times []string
	// source is the origin of the names of members, or nil. feeds are the sources that its
	// items belong to.
	source   *nameSource
	feeds    []nameSource
	children []*job
	parent   *job // nil for a root job
}

// nameOf returns the name of a job in events, live progress, plans and reports: its
// configured endpoint. If the endpoint is an expression, the name is the data type, or
// without a data type the path of the job: "jobs/0/children/1".
func nameOf(j config.Job) string {
	if j.ComputedEndpoint == nil {
		return j.Endpoint
	}
	_, position, _ := strings.Cut(j.Pointer, "/config/")
	return cmp.Or(j.DataType, position, j.Pointer)
}

// ancestor returns the job above a job, by levels: 1 is its parent.
func (j *job) ancestor(levels int) *job {
	for range levels {
		j = j.parent
	}
	return j
}

// family returns the job and all jobs above and below it.
func (j *job) family() []*job {
	all := withChildren([]*job{j})
	for above := j.parent; above != nil; above = above.parent {
		all = append(all, above)
	}
	return all
}

// withChildren returns jobs and all jobs below them.
func withChildren(jobs []*job) []*job {
	var all []*job
	for _, j := range jobs {
		all = append(append(all, j), withChildren(j.children)...)
	}
	return all
}

// readsPreviousStart reports whether a root job, or a job below it, reads the start of the
// previous run.
func (j *job) readsPreviousStart() bool {
	return slices.ContainsFunc(withChildren([]*job{j}), func(one *job) bool { return slices.Contains(one.times, "previousStart") })
}

// dataPath returns the path of the items of a job.
func dataPath(j config.Job) response.Path {
	return response.Path{Text: j.DataField.Path, Separator: j.DataField.Delimiter}
}

// rememberReferences returns the names in context c that the `remember` expressions of
// the job refer to.
func (j *job) rememberReferences(c expr.Context) []string {
	var names []string
	for _, m := range j.remembers {
		names = append(names, m.value.References(c)...)
	}
	return names
}

// fetchesRest reports whether a child job requests the rest of a list. Such a child job
// reads the flag of the list, or a member beside the flag, such as a cursor.
func (j *job) fetchesRest(of mapping.Truncated) bool {
	object := of.Flag[:strings.LastIndexByte(of.Flag, '.')+1]
	reads := func(path string) bool {
		return strings.HasPrefix(path, object) && path != of.List && !strings.HasPrefix(path, of.List+".")
	}
	return slices.ContainsFunc(j.children, func(child *job) bool {
		return slices.ContainsFunc(child.filter.Paths(), reads) || slices.ContainsFunc(child.parentItems, reads) ||
			slices.ContainsFunc(child.placeholders, func(p placeholder) bool { return p.level == 1 && reads(p.path) })
	})
}
