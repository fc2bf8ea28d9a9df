package lint

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unknownRemembered finds expressions for remembered values that no job and no login
// stores, or that depend on placeholders that the job does not have.
func unknownRemembered(s settings, found *failure.Problems) {
	entries := s.remembered()
	var names []string
	for _, entry := range entries {
		names = append(names, name(entry))
	}
	s.walkRemembered(func(text, pointer string) {
		if !slices.Contains(names, text) {
			found.Add(failure.Problem{Code: failure.UnknownRemembered, Pointer: pointer, Found: field.Quoted(text),
				Expected: "nothing remembers a value of this name, so it is null in every run", Hint: didYouMean(text, names)})
			return
		}
		j, ok := s.jobAt(pointer)
		if !ok {
			return
		}
		for _, entry := range entries {
			if missing := missingPlaceholders(entry, j.Family); name(entry) == text && len(missing) > 0 {
				found.Add(failure.Problem{Code: failure.UnknownRemembered, Pointer: pointer, Found: field.Quoted(text),
					Expected: "a separate value is stored for each " + field.List(missing) + ", and this job has no such placeholder", Hint: "remove \"per\" at " + failure.Part(entry.Pointer) + ", or use another name"})
				return
			}
		}
	})
}

// unreadRemembered finds remembered values that no expression reads.
func unreadRemembered(s settings, found *failure.Problems) {
	var read []string
	s.walkRemembered(func(text, _ string) { read = append(read, text) })
	for _, entry := range s.remembered() {
		if !slices.Contains(read, name(entry)) {
			hint := failure.Text("send it in \"params\": {\"remembered\": " + field.Quoted(name(entry)) + "}")
			if at := s.misspeltReading(name(entry)); at != "" {
				hint = "did you mean \"remembered\" at " + failure.Part(at) + "?"
			}
			found.Add(failure.Problem{Code: failure.UnreadRemembered, Pointer: entry.Pointer, Expected: "no expression reads this value", Hint: hint})
		}
	}
}

// misspeltReading returns the pointer of a misspelt key that was meant to read a
// remembered value, or "". Objects with other keys are data.
func (s settings) misspeltReading(of string) (pointer string) {
	walk(s.Compiled.Settings, func(at config.Section) bool {
		if pointer != "" || at.Value.Kind() != value.String || at.Value.Raw() != of {
			return pointer == ""
		}
		key := name(at)
		if _, near := failure.Nearest(key, []string{string(expr.Remembered)}); near || key == config.JobRemember.Name {
			pointer = at.Pointer
		}
		return true
	})
	return pointer
}

// replacedTables finds jobs that request only new data, and replace the table with the
// older rows.
func replacedTables(s settings, found *failure.Problems) {
	for it, j := range s.jobs() {
		if it.Incremental || !storesRows(j.Job) || len(s.sentNames(it, j)) == 0 {
			continue
		}
		expected := failure.Text("this job requests only what is new, and its table replaces the table of the previous run: older rows are lost")
		if j.NotStored {
			expected = "this job requests only what is new, and the tables of its child jobs replace the tables of the previous run: older rows are lost"
		}
		found.Add(failure.Problem{Code: failure.ReplacedTable, Pointer: j.Pointer,
			Expected: expected, Hint: "set " + field.OwnName(config.IncrementalOutput.Name) + " to true in \"config\""})
	}
}

// sentNames returns the names of the remembered values in the requests of a job. It
// includes names that all jobs of the iteration send.
func (s settings) sentNames(it iteration, j jobChain) []string {
	references := s.Compiled.Vocabulary.All().References
	names := append(it.References(expr.Remembered), references.Names(s.paging.Value, false, expr.Remembered)...)
	for _, f := range field.Fields(config.JobEndpoint, config.JobParams, config.JobHeaders, config.JobBody, config.JobWindows) {
		names = append(names, references.Names(s.job(j.Job).Get(f.Name).Value, false, expr.Remembered)...)
	}
	return names
}

// repeatedRows finds jobs that fetch some rows of the previous run again on purpose and
// add them to a table without a primary key.
func repeatedRows(s settings, found *failure.Problems) {
	for it, j := range s.jobs() {
		for _, one := range s.repeats(it, j) {
			found.Add(one)
		}
	}
}

// repeats returns a problem for each setting by which a job fetches rows again. It
// returns nil unless the table is incremental and has no primary key.
func (s settings) repeats(it iteration, j jobChain) (all []failure.Problem) {
	if !it.Incremental || j.NotStored || hasPrimaryKey(it.Mappings.Get(j.MappingName())) {
		return nil
	}
	report := func(at config.Section, expected failure.Text) {
		all = append(all, failure.Problem{Code: failure.RepeatedRow, Pointer: at.Pointer, Expected: expected,
			Hint: mappingHint(j) + " with a primary key"})
	}
	names := s.sentNames(it, j)
	if back := config.WindowsLookback.In(config.JobWindows.In(s.job(j.Job))); back.Present() && len(j.Windows.References(expr.Remembered)) > 0 {
		report(back, "the next run fetches the rows of this time range again, and the table has no primary key: they will be stored twice")
		return all
	}
	for _, entry := range j.Remember.Items() {
		if slices.Contains(names, name(entry)) && engine.RememberMax.In(entry).Present() {
			report(entry, "the next run may fetch the rows with this value again, and the table has no primary key: they will be stored twice")
		}
	}
	return all
}

func hasPrimaryKey(m config.Section) bool {
	return slices.ContainsFunc(m.Items(), func(setting config.Section) bool {
		return mapping.PrimaryKey.Of(mapping.ColumnSetting.In(setting))
	})
}

func storesRows(j config.Job) bool {
	return !j.NotStored || slices.ContainsFunc(j.Children, storesRows)
}

func (s settings) remembered() []config.Section {
	var all []config.Section
	for _, f := range s.fields(field.RememberRole) {
		all = append(all, f.at.Items()...)
	}
	return all
}

// walkRemembered calls visit for each expression that reads a remembered value.
func (s settings) walkRemembered(visit func(name, pointer string)) {
	root := s.Compiled.Settings
	s.Compiled.Vocabulary.All().References.Walk(root.Value, root.Pointer, false, func(f expr.Form, pointer string) {
		if f.Is(expr.Remembered) {
			visit(f.Name.Raw(), failure.PointerJoin(pointer, string(expr.Remembered)))
		}
	})
}

// jobAt returns the innermost job around a pointer.
func (s settings) jobAt(pointer string) (nearest jobChain, ok bool) {
	for _, j := range s.jobs() {
		if strings.HasPrefix(pointer, j.Pointer+"/") && len(j.Pointer) > len(nearest.Pointer) {
			nearest, ok = j, true
		}
	}
	return nearest, ok
}

// missingPlaceholders returns the placeholders in `per` of an entry that a job does not
// have.
func missingPlaceholders(entry config.Section, of config.JobScope) []string {
	var all []string
	for _, item := range engine.RememberPer.In(entry).Items() {
		if text := item.Value.Text(); !slices.Contains(of.Placeholders, text) {
			all = append(all, text)
		}
	}
	return all
}

// rememberedPaths returns the paths of remembered values in the items of a job.
func rememberedPaths(j jobChain) []path {
	var all []path
	for _, entry := range j.Remember.Items() {
		if at, ok := engine.RememberedPath(entry); ok {
			all = append(all, texts(at, ".")...)
		}
	}
	return all
}
