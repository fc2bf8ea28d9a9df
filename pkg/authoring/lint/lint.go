// Package lint looks at a document that compiles for what is allowed and yet
// hardly meant: scrollers nobody uses, mappings no job feeds, secrets in the
// open. Each check is one small function and has a code of its own.
//
// Everything it finds is a warning; what a run would refuse is found by those
// who compile the document. It sends nothing and never shows a value that may
// be a secret.
package lint

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
	"strconv"
	"strings"
)

// Document is what the checks look at.
type Document struct {
	// Tree is the document with its variables replaced, and Compiled what was
	// made of it.
	Tree     value.Value
	Compiled *config.Document
}

// check is one check; its findings are added to the list.
type check func(d settings, found *failure.Problems)

// checks are all checks.
func checks() []check {
	return []check{
		unusedScrollers,
		overwrittenParameters,
		idleLookaheads,
		idlePaging,
		unusedMappings,
		errorRows,
		unfilledPlaceholders,
		orphanPlaceholders,
		shadowedUserData,
		foreignPaths,
		unreachableAnswers,
		unreachableItems,
		unfilledColumns,
		unevaluatedExpressions,
		unsendableHeaders,
		plainSecrets,
		plainAddresses,
		withheldCredentials,
	}
}

// Check gives all warnings, each once.
func Check(d Document) failure.Problems {
	s := settings{Document: d, root: d.Tree}
	seen := map[parts]bool{}
	for _, it := range d.Compiled.Iterations {
		if p := partsOf(it); !seen[p] {
			seen[p] = true
			s.iterations = append(s.iterations, iteration{it, jobs(it)})
		}
	}
	if parameters := d.Tree.Field("parameters"); !parameters.Empty() {
		s.root, s.pointer = parameters, "/parameters"
	}
	var found failure.Problems
	for _, check := range checks() {
		check(s, &found)
	}
	return found.Unique()
}

// settings are the document and where its settings stand.
type settings struct {
	Document
	root       value.Value
	pointer    string
	iterations []iteration
}

// iteration is an iteration with all its jobs, children included.
type iteration struct {
	config.Iteration
	jobs []family
}

// parts are what the checks see of an iteration, by its places. Iterations that
// differ in attributes only are looked at once: there may be thousands.
type parts struct{ jobs, mappings, userData, baseURL string }

func partsOf(it config.Iteration) parts {
	p := parts{mappings: it.Mappings.Pointer, userData: it.UserData.Pointer, baseURL: it.BaseURL.String()}
	if len(it.Jobs) > 0 {
		p.jobs = it.Jobs[0].Pointer // the others stand beside it
	}
	return p
}

// section is a part of the settings as it is written, with its pointer.
func (s settings) section(names ...string) place {
	p := place{s.root, s.pointer}
	for _, name := range names {
		p = p.get(name)
	}
	return p
}

// place is a value and where it stands.
type place struct {
	value.Value
	pointer string
}

func (p place) get(name string) place {
	return place{p.Field(name), failure.PointerJoin(p.pointer, name)}
}

// below are the members or the items of a value.
func (p place) below() []place {
	all := make([]place, 0, p.Len())
	for _, m := range p.Members() {
		all = append(all, place{m.Value, failure.PointerJoin(p.pointer, m.Name)})
	}
	for i, item := range p.Items() {
		all = append(all, place{item, failure.PointerJoin(p.pointer, strconv.Itoa(i))})
	}
	return all
}

// at is the place at a JSON pointer.
func (s settings) at(pointer string) place {
	return place{s.Tree.Lookup(failure.PointerSplit(pointer)), pointer}
}

// name is the last token of the pointer.
func (p place) name() string {
	last := p.pointer[max(0, strings.LastIndexByte(p.pointer, '/')):]
	return strings.Join(failure.PointerSplit(last), "")
}

// walk visits a value and everything in it, as long as visit says to go on.
func (p place) walk(visit func(place) bool) {
	if !visit(p) {
		return
	}
	for _, inner := range p.below() {
		inner.walk(visit)
	}
}

// family is a job with the jobs above it, the nearest first.
type family struct {
	config.Job
	above []config.Job
}

// jobs are all jobs of an iteration, children included.
func jobs(it config.Iteration) []family {
	var all []family
	var add func(list, above []config.Job)
	add = func(list, above []config.Job) {
		for _, j := range list {
			all = append(all, family{j, above})
			add(j.Children, append([]config.Job{j}, above...))
		}
	}
	add(it.Jobs, nil)
	return all
}

// didYouMean is the hint that names the nearest of some names.
func didYouMean(name string, known []string) failure.Text {
	if near, ok := failure.Nearest(name, known); ok {
		return "did you mean " + failure.Part(value.OfString(near).JSON()) + "?"
	}
	return ""
}
