package engine

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// pagePath returns the position of a page in the whole run, see har.Origin.
func (r *jobRun) pagePath(at position) []int {
	return append([]int{max(r.number, 1), r.rootNumber}, at...)
}

// sourceFinder returns a function that finds the sources of a request's parts. paged is
// the request that pagination made, full the same request with the parts that all jobs
// send. The function omits built-in headers, which are the same for every request.
func (r *jobRun) sourceFinder(paged, full config.RequestSpec) func(httpclient.Outgoing) []request.Source {
	own := r.base.RequestSpec
	if !paged.Own.IsNull() {
		own.Params = paged.Own
	}
	o := requestSources{it: r.it, doc: r.run.plan.doc, features: r.run.plan.features, secrets: r.run.Secrets}
	return func(sent httpclient.Outgoing) []request.Source {
		var all []request.Source
		if sent.Login {
			all = o.loginSources(&sent)
		} else {
			all = append(o.sources(r.job, own, paged, full, &sent), placeholderSources(r.job, r.job.above())...)
		}
		words := SourceFormatter{References: o.doc.Vocabulary.All().References, Document: o.doc.Root.Value}
		var explained []request.Source
		for _, s := range all {
			fixed := strings.HasPrefix(s.Part, "header ") && s.Pointer == ""
			if !fixed {
				s.From = words.Source(s)
				explained = append(explained, s)
			}
		}
		return explained
	}
}

// recordPage writes the findings about a page to the recording: its rows, the paths that
// were read, and the reason to stop after it.
func (r *jobRun) recordPage(p *pageResult, stop *pagination.Stop) error {
	if r.run.Recorder == nil || p.page == nil && stop == nil {
		return nil
	}
	found := har.PageFindings{At: r.pagePath(r.position.child(p.number))}
	if p.page != nil {
		found.Rows = p.page.Rows
		found.Data = r.itemsPath(p.page)
		needs := r.scroller.Needs()
		for _, field := range needs.Fields {
			found.Next = append(found.Next, field.Segments())
		}
		if needs.ItemID.Text != "" {
			found.Next = append(found.Next, append([]string{"*"}, needs.ItemID.Segments()...))
		}
		found.NextHeader = needs.Header
	}
	if stop != nil {
		found.Stop, found.Pointer = stop.Rule, stop.Pointer
	}
	return r.run.Recorder.Read(found)
}

// itemsPath returns the path of the items of a page, see har.PageFindings. It returns nil
// if the path is not known.
func (r *jobRun) itemsPath(page *response.Page) []string {
	switch {
	case r.DataField.Path != "":
		return append([]string{}, dataPath(r.Job).Segments()...)
	case page.Root == value.Array:
		return []string{}
	case len(page.Lists) == 1:
		return page.Lists
	default:
		return nil
	}
}

// above returns the jobs above a job, the nearest first.
func (j *job) above() []*job {
	var all []*job
	for p := j.parent; p != nil; p = p.parent {
		all = append(all, p)
	}
	return all
}
