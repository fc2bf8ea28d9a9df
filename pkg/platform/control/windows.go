package control

import (
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/window"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// windowedJob is a root job with the windows that a run would have now.
type windowedJob struct {
	pointer string // pointer of the windows
	all     window.Sequence
}

// windowParts returns parts with some of the windows of each job, with `from` and `to`
// written as times. A job with fewer windows than parts has no windows in some of them.
func windowParts(document value.Value, values []platform.Variable, how splitting, now time.Time) ([]part, error) {
	filled, err := withVariables(document, values)
	if err != nil {
		return nil, err
	}
	if problems := dependencies(filled); len(problems) > 0 {
		return nil, problems.Unique().Err()
	}
	jobs, err := windowedJobs(filled, now)
	if err != nil {
		return nil, err
	}
	largest := jobs[0]
	for _, j := range jobs {
		if j.all.Count > largest.all.Count {
			largest = j
		}
	}
	if largest.all.Count == 0 {
		return nil, failure.Userf("there is no window to split: 'from' is not before 'to'").At(largest.pointer)
	}
	if err := how.checkCount(largest.all.Count, largest.pointer); err != nil {
		return nil, err
	}
	groups := groupsOf(byWindow, largest.all.Count, how.most)
	if err := conflicts(filled, groups); err != nil {
		return nil, err
	}
	parts := make([]part, len(groups))
	for i, g := range groups {
		parts[i] = part{group: g, document: document}
	}
	for _, j := range jobs {
		for i, bounds := range j.bounds(len(parts), now) {
			at := failure.PointerSplit(j.pointer)
			parts[i].document = withValue(parts[i].document, append(slices.Clip(at), config.WindowsFrom.Name), bounds.from)
			parts[i].document = withValue(parts[i].document, append(slices.Clip(at), config.WindowsTo.Name), bounds.to)
		}
	}
	return parts, nil
}

// bounds is the time range of the windows of a part.
type bounds struct{ from, to value.Value }

// bounds returns the bounds of each part. The parts have nearly equal numbers of windows. A
// part without windows ends where it begins.
func (j windowedJob) bounds(parts int, now time.Time) []bounds {
	all := make([]bounds, parts)
	at := 0
	end := func(i int) int { return (i + 1) * j.all.Count / parts }
	last := value.OfInt(now.Unix())
	for w := range j.all.All() {
		for end(at) < w.Number {
			at++
		}
		if all[at].from.IsNull() {
			all[at].from = w.StartBound()
		}
		all[at].to, last = w.EndBound(), w.EndBound()
	}
	for i := range all {
		if all[i].from.IsNull() {
			all[i] = bounds{last, last}
		}
	}
	return all
}

// windowedJobs returns all root jobs. A job without windows is an error, because every part
// would run it.
func windowedJobs(document value.Value, now time.Time) ([]windowedJob, error) {
	var problems failure.Problems
	settings := settingsOf(document, &problems)
	if list := config.IterationsSection.In(settings); list.Value.Len() > 0 {
		return nil, failure.Userf("the configuration has iterations, each with windows of its own: split these with --split iterations").At(list.Pointer)
	}
	own := config.ConfigSection.In(settings)
	attributes := expr.Flatten(own.Value.Without(config.JobsSetting.Name))
	compiler := config.JobScope{}.Compiler(expr.InWindows, attributes, expr.Vocabulary{}, &problems)
	scope := &expr.Scope{Now: func() time.Time { return now }, Contexts: map[expr.Context]expr.Members{
		expr.Attr: attributes, expr.Time: {"currentStart": value.OfInt(now.Unix())}}}
	var jobs []windowedJob
	for _, job := range config.JobsSetting.In(own).Items() {
		s := config.JobWindows.In(job)
		switch at, open := unfilled(s); {
		case !s.Present():
			problems.Add(failure.Problem{Pointer: job.Pointer, Expected: "the job has no windows, and each job of the split would run it", Hint: "move it to a configuration of its own"})
			continue
		case open:
			problems.Add(failure.Problem{Pointer: at, Expected: "expected a time, and a variable in it has no value here", Hint: "give it by --var name=value"})
			continue
		}
		before := len(problems)
		compiled := config.CompileWindows(s, compiler, attributes, now, nil)
		if len(problems) > before {
			continue
		}
		all, _, err := compiled.Between(scope, now)
		if err != nil {
			return nil, err
		}
		if first, ok := all.First(); ok && first.StartBound().IsNull() {
			problems.Add(failure.Problem{Pointer: s.Pointer, Expected: "expected windows with a start, because parts of the time are split", Hint: "give \"from\" a \"default\""})
			continue
		}
		jobs = append(jobs, windowedJob{s.Pointer, all})
	}
	if len(jobs) == 0 && len(problems) == 0 {
		return nil, failure.Userf("the configuration has no jobs with windows to split: run it without --split").At(own.Pointer)
	}
	return jobs, problems.Unique().Err()
}

// unfilled returns the pointer of the first text with a variable that has no value.
func unfilled(s config.Section) (pointer string, found bool) {
	if strings.Contains(s.Value.Raw(), "{{") {
		return s.Pointer, true
	}
	for _, item := range s.Items() {
		if pointer, found = unfilled(item); found {
			return pointer, true
		}
	}
	return "", false
}

// withValue returns v with another value at the path of tokens. The path may lead to a new
// member of an object.
func withValue(v value.Value, tokens []string, other value.Value) value.Value {
	if len(tokens) == 0 {
		return other
	}
	child, i := v.Child(tokens[0])
	child = withValue(child, tokens[1:], other)
	if v.Kind() == value.Array && i >= 0 && i < v.Len() {
		items := slices.Clone(v.Items())
		items[i] = child
		return value.OfItems(items...)
	}
	return v.With(tokens[0], child)
}
