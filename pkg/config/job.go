package config

import (
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// jobs compiles a list of jobs; inherited tells whether a job above them has
// placeholders. Of several jobs with one id the last definition stays, at the
// place of the first.
func (c *compiler) jobs(s Section, e evaluator, child, inherited bool) []Job {
	var jobs []Job
	places := map[string]int{} // by id
	for _, item := range s.Items() {
		if item.Value.Kind() != value.Object {
			continue // a problem already
		}
		job := c.job(item, e, child, inherited)
		at, ok := places[job.ID]
		if !ok {
			places[job.ID] = len(jobs)
			jobs = append(jobs, job)
			continue
		}
		c.duplicate(jobs[at], job)
		jobs[at] = job
	}
	return jobs
}

func (c *compiler) duplicate(first, second Job) {
	if _, ok := lookup(c.document, second.Pointer+"/id"); ok {
		c.warn(failure.DuplicateJob, second.Pointer, "has the id of "+failure.Part(first.Pointer)+" and runs in its place", "give it another id")
		return
	}
	c.warn(failure.DuplicateJob, second.Pointer, "is the same as "+failure.Part(first.Pointer)+", it runs once", "give one of them an id to run both")
}

func (c *compiler) job(s Section, e evaluator, child, inherited bool) Job {
	j := Job{
		Pointer:                 s.Pointer,
		ID:                      s.Text("id", ""),
		Endpoint:                s.Get("endpoint").Value.Raw(),
		Method:                  s.Text("method", ""),
		Params:                  c.params(s.Get("params"), e),
		Headers:                 c.literalHeaders(s.Get("headers")),
		DataType:                s.Text("dataType", ""),
		DataField:               dataField(s),
		Scroller:                s.Text("scroller", ""),
		ResponseFilter:          responseFilter(s.Get("responseFilter")),
		ResponseFilterDelimiter: s.Text("responseFilterDelimiter", "."),
		Placeholders:            s.Get("placeholders"),
		RecursionFilter:         s.Text("recursionFilter", ""),
		UserData:                s.Get("userData"),
	}
	if j.ID == "" {
		j.ID = c.idAt(s.Pointer)
	}
	if j.DataType == "" {
		j.DataType = j.Endpoint
	}
	if child {
		inherited = inherited || j.Placeholders.Present()
		if !inherited {
			c.warn(failure.IdleChild, s.Pointer, "this child job never runs: it has no \"placeholders\", nor has a job above it", "")
		}
	}
	j.Children = c.jobs(s.Get("children"), e, true, inherited)
	return j
}

// idAt is the computed id of a job, which all iterations that share it share.
func (c *compiler) idAt(pointer string) string {
	id, ok := c.ids[pointer]
	if !ok {
		given, _ := lookup(c.document, pointer)
		id = jobID(given)
		c.ids[pointer] = id
	}
	return id
}

// params compiles the parameters, unless they have a problem already.
func (c *compiler) params(s Section, e evaluator) expr.Entries {
	if c.faulty[s.Pointer] {
		return expr.Entries{}
	}
	return e.compilerFor(expr.Attr, expr.Time).Entries(s.Value, s.Pointer)
}

func dataField(parent Section) DataField {
	s := parent.Get("dataField")
	switch {
	case !s.Present():
		return DataField{}
	case s.Value.Kind() == value.Object:
		return DataField{Path: s.Text("path", ""), Delimiter: s.Text("delimiter", ".")}
	default:
		return DataField{Path: parent.Text("dataField", ""), Delimiter: "."}
	}
}

// responseFilter are the paths of a list, or the one path in its place.
func responseFilter(s Section) []string {
	var paths []string
	if !s.Present() {
		return nil
	}
	for _, v := range scalars(s.Value) {
		if v.IsScalar() && v.Text() != "" {
			paths = append(paths, v.Text())
		}
	}
	return paths
}
