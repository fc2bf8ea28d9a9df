package engine

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
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
		for _, j := range withChildren(it.jobs) {
			if !j.Reachable || j.NotStored || first.mappings.Has(j.MappingName()) {
				continue
			}
			if j.ComputedDataType == nil && j.DataType != "" && mapping.TableName(j.DataType) == "" {
				key, hint := config.JobDataType.Name, failure.Text("")
				if j.DataType == j.Endpoint {
					key, hint = config.JobEndpoint.Name, `name the table with "dataType"`
				}
				field.NewSection(value.OfString(j.DataType), failure.PointerJoin(j.Pointer, key), j.Problems()).
					Problem("expected a text with a letter, a digit or a dash, because the table is named after it", hint)
			}
			checkUserData(j.UserData)
			if j.parent == nil {
				checkUserData(it.UserData)
			}
		}
	})
}

// unstored returns the data types of jobs that store no rows, unless a job with the same
// data type stores rows.
func unstored(jobs []*job) []string {
	var none, some []string
	for _, j := range withChildren(jobs) {
		if j.NotStored {
			none = append(none, j.MappingName())
		} else {
			some = append(some, j.MappingName())
		}
	}
	return slices.DeleteFunc(none, func(dataType string) bool { return slices.Contains(some, dataType) })
}

// tolerateUnusedMappings turns problems of unused mappings into warnings, because the
// original extractor does not read these mappings. A mapping is unused if no job has its
// data type. A valid unused mapping still creates an empty table. Unknown keys remain
// problems.
func (p *Program) tolerateUnusedMappings() {
	used := map[string]bool{} // keys are the pointers of the mappings
	p.eachIteration(func(it, first *iteration) {
		for _, j := range withChildren(it.jobs) {
			used[failure.PointerJoin(it.Mappings.Pointer, j.MappingName())] = true
			used[failure.PointerJoin(first.Mappings.Pointer, j.MappingName())] = true
		}
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

// checkSharedBuckets reports iterations that write to the same tables in different forms.
func (p *Program) checkSharedBuckets() {
	checked := map[string]bool{} // keys are pairs of pointers: there may be thousands of iterations
	p.eachIteration(func(it, first *iteration) {
		if it.TextBooleans != first.TextBooleans {
			p.doc.Settings.Problems().Add(failure.Problem{Code: failure.WrongValue, Pointer: it.Pointer,
				Expected: "expected the same " + field.OwnName(config.Booleans.Name) + " as in " + failure.Part(first.Pointer) + ", because both write to the same bucket",
				Hint:     "write it once, in " + field.OwnName("config") + ", or give the iterations different buckets"})
		}
		pair := first.Mappings.Pointer + " " + it.Mappings.Pointer
		if it.Mappings.Pointer == first.Mappings.Pointer || checked[pair] {
			return
		}
		checked[pair] = true
		first.mappings.CheckTypes(it.mappings, p.doc.Settings.Problems())
	})
}

// checkUserData reports lists in user data if the rows are mapped automatically, because
// a column holds one value. An empty list becomes an empty cell.
func checkUserData(s config.Section) {
	if s.Value.Kind() == value.Array && s.Present() {
		s.Problem("expected a value or an object of columns, as the data type has no mapping", "")
		return
	}
	for _, m := range s.Value.Members() {
		if m.Value.Kind() == value.Array && m.Value.Len() > 0 {
			s.Get(m.Name).Problem("a column of user data must be a single value if the data type has no mapping, found a list", "")
		}
	}
}

// checkBatches reports placeholders without a single item. In a job with a batch, these
// are placeholders above the parent, because a batch consists of values of the parent's
// items. In other jobs, these are placeholders of an item in a batch.
func checkBatches(j *job) {
	problem := func(p placeholder, expected, hint failure.Text) {
		j.Problems().Add(failure.Problem{Code: failure.InvalidPlaceholder, Pointer: p.pointer, Expected: expected, Hint: hint})
	}
	for _, p := range j.placeholders {
		switch own := j.Batch != (config.Batch{}); {
		case own && p.level > 1:
			problem(p, "expected a placeholder of the parent's items, because a batch consists of their values", "remove the batch to run the job for each item of its parent")
		case p.level > 1 && j.Family.InBatch(p.level):
			problem(p, "expected the item of a job whose items are not requested in batches", "\"batch\" puts several items into one request; take the value from the response to that request")
		}
	}
}

// checkKeys reports iterations that the state cannot distinguish.
func (p *Program) checkKeys() {
	first := map[string]iteration{}
	for _, it := range p.iterations {
		other, ok := first[it.Key]
		if !ok {
			first[it.Key] = it
			continue
		}
		if len(it.remembers)+len(other.remembers) > 0 {
			reportInvalid(field.NewSection(value.Value{}, it.Pointer, p.doc.Root.Problems()), "expected an iteration that differs from "+failure.Part(other.Pointer)+" in more than secrets, because each remembers values of its own",
				"give each of them another "+field.OwnName(config.ConfigID.Name))
		}
	}
}

// reportUnusable reports the rules with an action that has no use, and why.
func reportUnusable(action rule.Action, rules rule.List, problems *failure.Problems, why, hint failure.Text) {
	for _, r := range rules {
		if r.Do == action {
			field.NewSection(value.OfString(string(r.Do)), failure.PointerJoin(r.Pointer, rule.DoName), problems).
				Problem("expected another action: "+why, hint)
		}
	}
}

// checkLogins reports rules that demand a new login, if the authentication has no login or
// the job sends no credentials.
func (p *Program) checkLogins() {
	const why, hint = "the authentication has no login that could be repeated", `"login" is for the authentications "login" and "oauth20.login"`
	if p.doc.API.Authentication.Faulty() {
		return // the problem of the authentication comes first
	}
	for _, it := range p.iterations {
		logsIn := auth.LogsIn(it.auth)
		if !logsIn {
			reportUnusable(rule.LogIn, p.target.Rules, p.doc.API.Rules.Problems(), why, hint)
		}
		for _, j := range withChildren(it.jobs) {
			switch {
			case !logsIn:
				reportUnusable(rule.LogIn, j.rules, j.Problems(), why, hint)
			case j.Anonymous:
				reportUnusable(rule.LogIn, j.rules, j.Problems(), "the job sends its requests without credentials", `remove the rule, or "credentials": false`)
			}
		}
	}
}

// checkRestarts reports rules that cannot restart any job.
func (p *Program) checkRestarts() {
	report := func(rules rule.List, problems *failure.Problems, why, hint failure.Text) {
		reportUnusable(rule.Restart, rules, problems, why, hint)
	}
	reading := false
	for _, it := range p.iterations {
		for _, j := range withChildren(it.jobs) {
			switch {
			case len(j.rememberedNames) == 0:
				report(j.rules, j.Problems(), "the job reads no remembered value, so it would send the same request again", `"restart" is for jobs that read {"remembered": …}`)
				continue
			case j.Windows != nil && len(j.Windows.References(expr.Remembered)) > 0:
				report(j.rules, j.Problems(), "the windows of the job depend on a remembered value and would stay the same", `"fail" ends the run, and a run with --full starts from the beginning`)
			}
			reading = true
		}
	}
	if !reading {
		report(p.target.Rules, p.doc.API.Rules.Problems(), "no job reads a remembered value, so the same request would be sent again", `"restart" is for jobs that read {"remembered": …}`)
	}
}
