package lint

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// shadowedUserData finds user data of child jobs with the name of a column that a
// placeholder adds. The column of the placeholder replaces the user data.
func shadowedUserData(s settings, found *failure.Problems) {
	for _, j := range s.jobs() {
		for _, m := range j.UserData.Value.Members() {
			if !slices.Contains(j.parentColumns(), m.Name) {
				continue
			}
			found.Add(failure.Problem{Code: failure.NoEffect, Pointer: failure.PointerJoin(j.UserData.Pointer, m.Name),
				Expected: "has no effect: a placeholder adds a column of this name", Hint: "give it another name"})
		}
	}
}

// sharedColumns finds placeholders of one job that share a column: only the value of the
// last placeholder is stored. Placeholders of parent jobs may share a column, because the
// rows of the parent job have their values.
func sharedColumns(s settings, found *failure.Problems) {
	for it, j := range s.jobs() {
		if j.Batch.Size > 0 || j.NotStored {
			continue // placeholders add no columns here
		}
		all := j.Placeholders.Value.Members()
		for i, m := range all {
			column := parentColumn(m.Value)
			hides := func(other value.Member) bool {
				return parentColumn(other.Value) == column && !(level(other.Name) == level(m.Name) && other.Value.Equal(m.Value))
			}
			if !slices.ContainsFunc(all[i+1:], hides) || !storesColumn(it.Iteration, j, column) {
				continue
			}
			found.Add(failure.Problem{Code: failure.SharedColumn, Pointer: failure.PointerJoin(j.Placeholders.Pointer, m.Name),
				Expected: "its value is not stored: a later placeholder fills " + field.Quoted(column),
				Hint:     `to store both, add a column to "userData": {"NAME": {"parentItem": "` + failure.Part(itemPath(m)) + `"}}`})
		}
	}
}

// storesColumn reports whether the table of a job has the column of a placeholder. Only a
// mapping can omit the column.
func storesColumn(it config.Iteration, j jobChain, column string) bool {
	entries := it.Mappings.Get(j.MappingName())
	return !entries.Present() || readsColumn(entries, column)
}

// readsColumn reports whether a mapping, or the mapping of a child table in it, has a column of
// type user with this name.
func readsColumn(entries config.Section, column string) bool {
	return slices.ContainsFunc(entries.Items(), func(setting config.Section) bool {
		first, _, _ := strings.Cut(name(setting), "/")
		return isUserColumn(setting) && first == column || readsColumn(mapping.TableMapping.In(setting), column)
	})
}

// level returns the level of the job from which a placeholder reads an item, as text. The
// parent has level 1.
func level(placeholder string) string {
	if number, _, ok := strings.Cut(placeholder, ":"); ok {
		return number
	}
	return "1"
}

// itemPath returns the path of a placeholder as written in {"parentItem": …}.
func itemPath(placeholder value.Member) string {
	if number := level(placeholder.Name); number != "1" {
		return number + ":" + placeholderPath(placeholder.Value)
	}
	return placeholderPath(placeholder.Value)
}

// placeholderPath returns the path of a placeholder in the item of a parent.
func placeholderPath(setting value.Value) string {
	if setting.Kind() == value.Object {
		return setting.Field(engine.PlaceholderPath.Name).Text()
	}
	return setting.Text()
}

// parentColumn returns the name of the column that a placeholder adds.
func parentColumn(setting value.Value) string {
	path := placeholderPath(setting)
	if !strings.HasPrefix(path, "parent_") {
		path = "parent_" + path
	}
	return path
}

// parentColumns returns the names of the columns that placeholders add to the rows of a
// job. Placeholders of all jobs above are included.
func (f jobChain) parentColumns() []string {
	var names []string
	for _, j := range append([]config.Job{f.Job}, f.above...) {
		if j.Batch.Size > 0 {
			continue // a batch of parents adds no columns
		}
		for _, m := range j.Placeholders.Value.Members() {
			names = append(names, parentColumn(m.Value))
		}
	}
	return names
}

// usedMapping is a mapping with the jobs that store rows through it and the names of all
// their user columns. Iterations may share a mapping.
type usedMapping struct {
	config.Section
	jobs []jobChain
	user []string
}

// mappings returns the mappings that a job uses.
func (s settings) mappings() []*usedMapping {
	var all []*usedMapping
	known := map[string]*usedMapping{}
	for _, it := range s.iterations {
		feeding := map[string][]jobChain{}
		for _, j := range it.jobs {
			feeding[j.MappingName()] = append(feeding[j.MappingName()], j)
		}
		for _, m := range it.Mappings.Items() {
			for _, j := range feeding[name(m)] {
				if known[m.Pointer] == nil {
					known[m.Pointer] = &usedMapping{Section: m}
					all = append(all, known[m.Pointer])
				}
				known[m.Pointer].jobs = append(known[m.Pointer].jobs, j)
				known[m.Pointer].user = append(known[m.Pointer].user, userColumns(it.Iteration, j)...)
			}
		}
	}
	return all
}

// keylessMappings finds mappings of incremental tables without a primary key. A row that
// a later run fetches again is then in the table twice. repeatedRows reports jobs that
// fetch rows again on purpose.
func keylessMappings(s settings, found *failure.Problems) {
	for _, it := range s.iterations {
		if !it.Incremental {
			continue
		}
		for _, m := range it.Mappings.Items() {
			stored, reported := false, false
			for _, j := range it.jobs {
				if j.MappingName() == name(m) && !j.NotStored {
					stored, reported = true, reported || len(s.repeats(it, j)) > 0
				}
			}
			if stored && !reported && !hasPrimaryKey(m) {
				found.Add(failure.Problem{Code: failure.NoPrimaryKey, Pointer: m.Pointer,
					Expected: "the table is incremental and has no primary key: a row that a later run fetches again is added a second time",
					Hint:     "set " + field.OwnName(mapping.PrimaryKey.Name) + " to true in the " + field.OwnName(mapping.ColumnSetting.Name) + " of the columns that identify a row"})
			}
		}
	}
}

// unfilledColumns finds columns for user data or placeholders that no job with the data
// type of the mapping has.
func unfilledColumns(s settings, found *failure.Problems) {
	for _, m := range s.mappings() {
		reportUnfilled(m.Section, m.user, found)
	}
}

// reportUnfilled checks a mapping and the mappings of its child tables. Rows of child
// tables have the same user columns.
func reportUnfilled(entries config.Section, known []string, found *failure.Problems) {
	for _, setting := range entries.Items() {
		column, _, _ := strings.Cut(name(setting), "/") // a path, separated by slashes
		if isUserColumn(setting) && column != "" && !slices.Contains(known, column) {
			found.Add(failure.Problem{Code: failure.UnreachablePath, Pointer: setting.Pointer,
				Expected: "no job with this data type has user data or a placeholder with this name, so the column stays empty", Hint: didYouMean(column, known)})
		}
		reportUnfilled(mapping.TableMapping.In(setting), known, found)
	}
}

func isUserColumn(setting config.Section) bool { return mapping.Kind.In(setting).Value.Raw() == "user" }

// userColumns returns the names of the columns for user data and placeholders of a job.
func userColumns(it config.Iteration, j jobChain) []string {
	names := append(j.parentColumns(), columnsOf(j.UserData, "job_parent_id")...)
	if len(j.above) == 0 {
		names = append(names, columnsOf(it.UserData, config.UserData.Name)...)
	}
	return names
}

// columnsOf returns the names of the columns of a section userData. If the section is a
// scalar, its column is named scalar.
func columnsOf(s config.Section, scalar string) []string {
	switch {
	case !s.Present():
		return nil
	case s.Value.IsScalar():
		return []string{scalar}
	}
	var names []string
	for _, m := range s.Value.Members() {
		names = append(names, m.Name)
	}
	return names
}
