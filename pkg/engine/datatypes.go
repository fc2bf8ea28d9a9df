package engine

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// eachIteration calls visit for each iteration. first is the first iteration with the same
// bucket: the jobs use its mappings.
func (p *Program) eachIteration(visit func(it, first *iteration)) {
	first := map[string]*iteration{}
	for i := range p.iterations {
		it := &p.iterations[i]
		if first[it.Bucket] == nil {
			first[it.Bucket] = it
		}
		visit(it, first[it.Bucket])
	}
}

// checkDataTypes reports jobs whose rows cannot be mapped automatically: the data type
// yields no table name, as with the endpoint "/", or the user data contains lists. It
// skips jobs with a mapping, which has a table name and may contain lists, and jobs that
// never run or store no rows.
func (p *Program) checkDataTypes() {
	p.eachIteration(func(it, first *iteration) {
		eachJob(it.Jobs, func(j config.Job, child bool) {
			if !j.Reachable || j.NotStored || first.mappings.Has(j.DataType) {
				return
			}
			checkTableName(j)
			checkUserData(j.UserData)
			if !child {
				checkUserData(it.UserData)
			}
		})
	})
}

// unstored returns the data types of jobs that store no rows, unless a job with the same
// data type stores rows.
func unstored(jobs []config.Job) []string {
	var none, some []string
	eachJob(jobs, func(j config.Job, _ bool) {
		if j.NotStored {
			none = append(none, j.DataType)
		} else {
			some = append(some, j.DataType)
		}
	})
	return slices.DeleteFunc(none, func(dataType string) bool { return slices.Contains(some, dataType) })
}

// checkTableName reports a data type that yields no table name.
func checkTableName(j config.Job) {
	if j.DataType == "" || mapping.TableName(j.DataType) != "" {
		return
	}
	key, hint := config.JobDataType.Name, failure.Text("")
	if j.DataType == j.Endpoint {
		key, hint = config.JobEndpoint.Name, `name the table with "dataType"`
	}
	field.NewSection(value.OfString(j.DataType), failure.PointerJoin(j.Pointer, key), j.Problems()).
		Problem("expected a text with a letter, a digit or a dash, because the table is named after it", hint)
}

// eachJob calls visit for the jobs and all jobs below them.
func eachJob(jobs []config.Job, visit func(j config.Job, child bool)) {
	var walk func(jobs []config.Job, child bool)
	walk = func(jobs []config.Job, child bool) {
		for _, j := range jobs {
			visit(j, child)
			walk(j.Children, true)
		}
	}
	walk(jobs, false)
}

// tolerateUnusedMappings turns problems of unused mappings into warnings, because the
// original extractor does not read these mappings. A mapping is unused if no job has its
// data type. A valid unused mapping still creates an empty table. Unknown keys remain
// problems.
func (p *Program) tolerateUnusedMappings() {
	used := map[string]bool{} // keys are the pointers of the mappings
	use := func(jobs []config.Job, it *iteration) {
		eachJob(jobs, func(j config.Job, _ bool) {
			used[failure.PointerJoin(it.Mappings.Pointer, j.DataType)] = true
		})
	}
	p.eachIteration(func(it, first *iteration) {
		use(it.Jobs, it)
		use(it.Jobs, first)
	})
	var unused []string
	for _, it := range p.iterations {
		for _, m := range it.Mappings.Value.Members() {
			if pointer := failure.PointerJoin(it.Mappings.Pointer, m.Name); !used[pointer] {
				unused = append(unused, pointer)
			}
		}
	}
	if len(unused) == 0 {
		return
	}
	problems := p.iterations[0].Mappings.Problems()
	*problems = slices.DeleteFunc(*problems, func(found failure.Problem) bool {
		if found.Code == failure.UnknownKey || !slices.ContainsFunc(unused, func(pointer string) bool {
			return found.Pointer == pointer || strings.HasPrefix(found.Pointer, pointer+"/")
		}) {
			return false
		}
		p.doc.Warnings.Add(found)
		return true
	})
}
