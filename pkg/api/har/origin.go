package har

import "github.com/keboola/configurable-extractor/pkg/api/request"

// Initiator says for which page of which job an exchange was, and where the parts of its
// request come from.
type Initiator struct {
	// Job is the name of the job as in events, Pointer its place in the document.
	Job     string `json:"job"`
	Pointer string `json:"pointer"`
	// At is the place of the page in the run, in numbers from 1: its iteration, its job
	// in it, the run of the job (one for each window), and the page of that run. For a
	// child job follow its run for that page, and the page of this run, and so on.
	At []int `json:"at"`
	// Login is set for a request of the authentication, which was sent for this page.
	Login bool `json:"login,omitempty"`
	// Attempt counts from 1.
	Attempt int `json:"attempt,omitempty"`
	// Redirected is set if a response led the request to another address. Then it has no
	// Sources.
	Redirected bool `json:"redirected,omitempty"`
	// Sources say where the parts of the request come from, without those that are the
	// same for every request.
	Sources []request.Source `json:"sources,omitempty"`
}

// PageFindings is what a run found in the response for a page.
type PageFindings struct {
	// At is that of the Origin.
	At []int `json:"at"`
	// Rows is how many items there were.
	Rows int `json:"rows"`
	// Data are the names on the way to the items in the body; none for the body itself.
	// It is nil if they were found at no single place.
	Data []string `json:"data"`
	// Next are the names on the way to each value in the body that leads to the next
	// page, or to none. A name "*" is every item of the data.
	Next [][]string `json:"next,omitempty"`
	// NextHeader is the header of the response that leads to it.
	NextHeader string `json:"nextHeader,omitempty"`
	// Stop is the rule that ended the run of the job here, Pointer the setting behind it.
	Stop    string `json:"stop,omitempty"`
	Pointer string `json:"pointer,omitempty"`
}

// redacted returns a copy with all texts masked.
func (o Initiator) redacted(redact func(string) string) *Initiator {
	o.Job, o.Pointer = redact(o.Job), redact(o.Pointer)
	sources := make([]request.Source, len(o.Sources))
	for i, s := range o.Sources {
		s.Part, s.From, s.Pointer = redact(s.Part), redact(s.From), redact(s.Pointer)
		sources[i] = s
	}
	o.Sources = sources
	return &o
}

func (r PageFindings) redacted(redact func(string) string) PageFindings {
	names := func(path []string) []string {
		if path == nil {
			return nil
		}
		masked := make([]string, len(path))
		for i, name := range path {
			masked[i] = redact(name)
		}
		return masked
	}
	r.Data = names(r.Data)
	next := make([][]string, len(r.Next))
	for i, path := range r.Next {
		next[i] = names(path)
	}
	r.Next = next
	r.Stop, r.Pointer = redact(r.Stop), redact(r.Pointer)
	return r
}
