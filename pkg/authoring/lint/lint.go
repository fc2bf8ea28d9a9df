// Package lint looks at a document that compiles for what is allowed and yet
// probably not intended: scrollers and mappings that no job uses, secrets in plain
// text. Each check is one small function and has a code of its own.
//
// Everything it finds is a warning; what a run would refuse is found by those
// who compile the document. It sends nothing and never shows a value that may
// be a secret.
package lint

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Input is what the checks look at.
type Input struct {
	// Tree is the document with its variables replaced, and Compiled what was
	// made of it in this language.
	Tree     value.Value
	Compiled *config.Document
	Language *schema.Language
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
		idleParameterSettings,
		foreignPagingSettings,
		unusedMappings,
		keylessMappings,
		errorRows,
		unfilledPlaceholders,
		sentPlaceholders,
		orphanPlaceholders,
		shadowedUserData,
		sharedColumns,
		foreignPaths,
		oddConditions,
		booleanWords,
		matchedErrors,
		unreachableResponses,
		unreachableItems,
		unfilledColumns,
		unevaluatedExpressions,
		misspeltExpressions,
		unknownPagingValues,
		unsetAttributes,
		idleWindows,
		unknownRemembered,
		unreadRemembered,
		replacedTables,
		repeatedRows,
		unsendableHeaders,
		plainSecrets,
		shortSecrets,
		exampleValues,
		plainAddresses,
		withheldCredentials,
	}
}

// Check returns all warnings, each once.
func Check(d Input) failure.Problems {
	api := config.APISection.In(d.Compiled.Settings)
	s := settings{Input: d, api: api, paging: config.PaginationSection.In(api), login: config.AuthenticationSection.In(api)}
	seen := map[iterationKey]bool{}
	for _, it := range d.Compiled.Iterations {
		if p := partsOf(it); !seen[p] {
			seen[p] = true
			s.iterations = append(s.iterations, iteration{it, jobs(it)})
		}
	}
	var found failure.Problems
	for _, check := range checks() {
		check(s, &found)
	}
	return found.Unique()
}

// settings are the document and the sections of its API, the same for all
// iterations.
type settings struct {
	Input
	api, paging, login config.Section
	iterations         []iteration
}

// iteration is an iteration with all its jobs, children included.
type iteration struct {
	config.Iteration
	jobs []jobChain
}

// iterationKey are what the checks see of an iteration, by its places. Iterations that
// differ in attributes only are looked at once: there may be thousands.
type iterationKey struct {
	jobs, mappings, userData, baseURL string
	incremental                       bool
}

func partsOf(it config.Iteration) iterationKey {
	p := iterationKey{mappings: it.Mappings.Pointer, userData: it.UserData.Pointer, baseURL: it.BaseURL.String(), incremental: it.Incremental}
	if len(it.Jobs) > 0 {
		p.jobs = it.Jobs[0].Pointer // the others are beside it
	}
	return p
}

// declaredValue is a value of the document that a field is declared for.
type declaredValue struct {
	*field.Field
	at, around config.Section
}

// fields are the values whose fields have one of these roles, in the order of the
// document.
func (s settings) fields(roles ...field.Role) []declaredValue {
	var all []declaredValue
	s.Language.Tree.Visit(s.Compiled.Root.Value, "", func(f *field.Field, at, around config.Section) bool {
		if slices.Contains(roles, f.Role) {
			all = append(all, declaredValue{f, at, around})
		}
		return true
	})
	return all
}

// job is the section of a job.
func (s settings) job(j config.Job) config.Section {
	return field.NewSection(s.Compiled.Root.Value.Lookup(failure.PointerSplit(j.Pointer)), j.Pointer, s.paging.Problems())
}

// name is the last token of a section's pointer.
func name(s config.Section) string {
	tokens := failure.PointerSplit(s.Pointer)
	return tokens[len(tokens)-1]
}

// walk visits a section and, where visit returns true, everything in it.
func walk(s config.Section, visit func(config.Section) bool) {
	if !visit(s) {
		return
	}
	for _, inner := range s.Items() {
		walk(inner, visit)
	}
}

// jobChain is a job with the jobs above it, the nearest first.
type jobChain struct {
	config.Job
	above []config.Job
}

// jobs are all jobs of an iteration, children included.
func jobs(it config.Iteration) []jobChain {
	var all []jobChain
	var add func(list, above []config.Job)
	add = func(list, above []config.Job) {
		for _, j := range list {
			all = append(all, jobChain{j, above})
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
