// Package lint warns about a valid configuration that probably does not do what the user
// wants: scrollers and mappings that no job uses, secrets in plain text. Each check is a
// small function. The problems of a check share a code.
//
// All problems are warnings. Compiling the document reports the errors. Package lint
// sends no requests and never shows a value that may be a secret.
package lint

import (
	"iter"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Input is the input of the checks.
type Input struct {
	// Tree is the document with its variables replaced.
	Tree value.Value
	// Compiled is the document, compiled in Language.
	Compiled *config.Document
	Language *schema.Language
}

// check adds its findings to a list.
type check func(d settings, found *failure.Problems)

// checks returns all checks.
//
// To add a check, write its function in the file of its subject and list it here. Find the
// settings by their roles (field.Tree.Visit) or by their declarations, never by their names.
// Give the findings a code, see failure.Code. Add rows to lint_test.go.
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
		emptyBooleans,
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
		unusedBodyValues,
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

// Check returns all warnings without repetitions.
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

// settings are the document and the sections of its API. All iterations share them.
type settings struct {
	Input
	api, paging, login config.Section
	iterations         []iteration
}

// iteration is an iteration with all its jobs, child jobs included.
type iteration struct {
	config.Iteration
	jobs []jobChain
}

// iterationKey holds the pointers of everything that the checks read from an iteration.
// Iterations that differ only in attributes are checked once, because there may be
// thousands.
type iterationKey struct {
	jobs, mappings, userData, baseURL string
	incremental, textBooleans         bool
}

func partsOf(it config.Iteration) iterationKey {
	p := iterationKey{mappings: it.Mappings.Pointer, userData: it.UserData.Pointer, baseURL: it.BaseURL.String(), incremental: it.Incremental, textBooleans: it.TextBooleans}
	if len(it.Jobs) > 0 {
		p.jobs = it.Jobs[0].Pointer // all jobs are in one list
	}
	return p
}

// jobs yields all jobs with their iterations.
func (s settings) jobs() iter.Seq2[iteration, jobChain] {
	return func(yield func(iteration, jobChain) bool) {
		for _, it := range s.iterations {
			for _, j := range it.jobs {
				if !yield(it, j) {
					return
				}
			}
		}
	}
}

// declaredValue is a value of the document with the declaration of its field. The section
// around contains the value.
type declaredValue struct {
	*field.Field
	at, around config.Section
}

// fields returns the values whose field has one of the roles, in document order.
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

func (s settings) job(j config.Job) config.Section {
	return field.NewSection(s.Compiled.Root.Value.Lookup(failure.PointerSplit(j.Pointer)), j.Pointer, s.paging.Problems())
}

// name returns the last token of a section's pointer.
func name(s config.Section) string {
	tokens := failure.PointerSplit(s.Pointer)
	return tokens[len(tokens)-1]
}

// walk visits a section. If visit returns true, walk visits the sections in it, too.
func walk(s config.Section, visit func(config.Section) bool) {
	if !visit(s) {
		return
	}
	for _, inner := range s.Items() {
		walk(inner, visit)
	}
}

// jobChain is a job with the jobs above it, nearest first.
type jobChain struct {
	config.Job
	above []config.Job
}

// jobs returns all jobs of an iteration, child jobs included.
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

// didYouMean returns a hint with the known name nearest to name, or "".
func didYouMean(name string, known []string) failure.Text {
	if near, ok := failure.Nearest(name, known); ok {
		return "did you mean " + failure.Part(value.OfString(near).JSON()) + "?"
	}
	return ""
}
