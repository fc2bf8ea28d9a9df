package lint

import (
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unusedMappings finds mappings for a data type that no job of any iteration has.
func unusedMappings(s settings, found *failure.Problems) {
	used := map[string]bool{}
	var unused []failure.Problem
	for _, it := range s.iterations {
		types := map[string]bool{}
		for _, j := range it.jobs {
			types[j.MappingName()] = true
		}
		names := slices.Collect(maps.Keys(types))
		for _, m := range it.Mappings.Items() {
			if types[name(m)] {
				used[m.Pointer] = true
				continue
			}
			unused = append(unused, failure.Problem{Code: failure.UnusedMapping, Pointer: m.Pointer,
				Expected: "no job has this data type, so the mapping is not used", Hint: didYouMean(name(m), names)})
		}
	}
	for _, p := range unused {
		if !used[p.Pointer] {
			found.Add(p)
		}
	}
}

// errorRows finds child jobs without a mapping if the configuration ignores errors. The
// response of an ignored error then adds columns to their table.
func errorRows(s settings, found *failure.Problems) {
	if len(s.Compiled.API.IgnoreErrors) == 0 {
		return
	}
	for it, j := range s.jobs() {
		if len(j.above) == 0 || j.NotStored || !it.Mappings.Value.Field(j.MappingName()).IsNull() {
			continue
		}
		found.Add(failure.Problem{Code: failure.ErrorRow, Pointer: j.Pointer,
			Expected: "an error response that \"api.http.ignoreErrors\" accepts may become a row of this job, with columns of its own",
			Hint:     mappingHint(j)})
	}
}

// placeholderText matches a {name} in an endpoint. It does not match {{name}}, which is a
// variable, nor JSON, which has quotes.
var placeholderText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^{])\{([\w.:-]+)\}($|[^}])`)
})

// unfilledPlaceholders finds a {name} in an endpoint without a placeholder of this name
// in the job or in a job above.
func unfilledPlaceholders(s settings, found *failure.Problems) {
	for _, j := range s.jobs() {
		var known []string
		for _, m := range j.Placeholders.Value.Members() {
			known = append(known, m.Name)
		}
		for _, parent := range j.above {
			for _, m := range parent.Placeholders.Value.Members() {
				known = append(known, m.Name)
			}
		}
		if j.ComputedEndpoint != nil {
			reportComputed(s, j, known, found)
			continue
		}
		for _, match := range placeholderText().FindAllStringSubmatch(j.Endpoint, -1) {
			if len(j.above) > 0 && slices.Contains(known, match[2]) {
				continue
			}
			hint := didYouMean(match[2], known)
			if len(j.above) == 0 {
				hint = "placeholders work in child jobs only"
			}
			found.Add(failure.Problem{Code: failure.UnfilledPlaceholder, Pointer: config.JobEndpoint.In(s.job(j.Job)).Pointer,
				Found: failure.Part(value.OfString("{" + match[2] + "}").JSON()), Expected: "no placeholder has this name, so this part is sent as it is", Hint: hint})
		}
	}
}

// reportComputed reports placeholders in the texts of an endpoint that is an expression.
// Such texts are sent unchanged.
func reportComputed(s settings, j jobChain, known []string, found *failure.Problems) {
	walk(config.JobEndpoint.In(s.job(j.Job)), func(p config.Section) bool {
		reportSent(p, known, found)
		return true
	})
}

// orphanPlaceholders finds settings for child jobs in root jobs, which have no parent
// item.
func orphanPlaceholders(s settings, found *failure.Problems) {
	for _, it := range s.iterations {
		for _, j := range it.Jobs {
			for _, f := range field.Fields(config.JobPlaceholders, config.JobRecursionFilter, config.JobBatch) {
				at := s.job(j).Get(f.Name)
				if !at.Present() {
					continue
				}
				hint := failure.Text("move the job to \"children\" of the job whose items it needs")
				if f == config.JobRecursionFilter.Field && len(j.Children) > 0 {
					hint = "write it in the child job whose items it filters"
				}
				found.Add(failure.Problem{Code: failure.OrphanPlaceholder, Pointer: at.Pointer,
					Expected: "has no effect: a root job has no parent item", Hint: hint})
			}
		}
	}
}

// mappingHint returns a hint to give a job a mapping.
func mappingHint(j jobChain) failure.Text {
	if j.ComputedDataType != nil {
		return "name a mapping with " + field.OwnName(config.JobMapping.Name)
	}
	return "give the data type " + failure.Part(value.OfString(j.DataType).JSON()) + " a mapping"
}
