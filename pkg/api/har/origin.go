package har

import "github.com/keboola/configurable-extractor/pkg/api/request"

// Initiator identifies the page of the job that an exchange was sent for, and the sources
// of its request.
type Initiator struct {
	// Job is the name of the job as in events. Pointer is its JSON pointer.
	Job     string `json:"job"`
	Pointer string `json:"pointer"`
	// At identifies the page in the run with numbers from 1: the iteration, the job in
	// it, the run of the job (one for each window), and the page of that run. For a child
	// job, its run for that page and the page of that run follow, and so on.
	At []int `json:"at"`
	// Login is true for a request of the authentication that was sent for this page.
	Login bool `json:"login,omitempty"`
	// Attempt counts from 1.
	Attempt int `json:"attempt,omitempty"`
	// Redirected is true if a response led the request to another URL. Then Sources is
	// empty.
	Redirected bool `json:"redirected,omitempty"`
	// Sources are the sources of the parts of the request, without the parts that are the
	// same for every request.
	Sources []request.Source `json:"sources,omitempty"`
}

// PageFindings holds the findings of a run in the response for a page.
type PageFindings struct {
	// At is the field At of the Initiator.
	At []int `json:"at"`
	// Rows is the number of items.
	Rows int `json:"rows"`
	// Data is the path of the items in the body, as a list of names. It is empty if the
	// body itself holds the items, and nil if the items have no single path.
	Data []string `json:"data"`
	// Next lists the paths of all values in the body that determine the next page. A name
	// "*" stands for every item of the data.
	Next [][]string `json:"next,omitempty"`
	// NextHeader is the header of the response that leads to the next page.
	NextHeader string `json:"nextHeader,omitempty"`
	// Stop is the rule that ended the run of the job on this page. Pointer is the JSON
	// pointer of its setting.
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
