package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// conflicts returns why the iterations of a document cannot run in one job for each
// group, nil if they can. Variables must be replaced already; a placeholder that is
// left counts as text. Each job validates the document itself.
func conflicts(document value.Value, groups []group) error {
	var problems failure.Problems
	settings := settingsOf(document, &problems)
	if at := find(settings, needsState); at != "" {
		problems.Add(failure.Problem{Pointer: at,
			Expected: "previousStart comes from the state of the run before, and the jobs of a split have none: each would read everything again",
			Hint:     "run it without --split"})
	}
	if at := find(settings, readsState); at != "" {
		problems.Add(failure.Problem{Pointer: at,
			Expected: "what is remembered comes from the state of the run before, and the jobs of a split have none: each would read everything again",
			Hint:     "run it without --split"})
	}
	if at := find(field.NewSection(document, "", &problems), tiedToConfiguration); at != "" {
		problems.Add(failure.Problem{Pointer: at,
			Expected: "the value is encrypted for its stored configuration alone, and the jobs of a split have none: the platform would not decrypt it",
			Hint:     "store it encrypted for the project"})
	}
	all := writers(settings, groups)
	if i := slices.IndexFunc(all, func(w writer) bool { return w.bucket == "" }); i >= 0 {
		problems.Add(failure.Problem{Pointer: all[i].pointer,
			Expected: "without \"outputBucket\" the tables go to a bucket named after the configuration, which the jobs of a split do not have: each would fill a bucket of its own",
			Hint:     "set \"outputBucket\" in \"config\" or in each iteration"})
	}
	problems = append(problems, overwriting(all)...)
	return problems.Unique().Err()
}

// writer is an iteration and where it writes to.
type writer struct {
	pointer     string
	group       group
	bucket      string // "" is the platform's default
	incremental bool
}

func writers(settings config.Section, groups []group) []writer {
	items := config.IterationsSection.In(settings).Items()
	var all []writer
	for _, g := range groups {
		for _, item := range items[g.from:g.to] {
			all = append(all, writer{item.Pointer, g, bucket(settings, item), decided(settings, item, config.IncrementalOutput)})
		}
	}
	return all
}

// bucket follows the rule of the component: the configured name, or else the API's
// name and the id.
func bucket(settings, item config.Section) string {
	if name := decided(settings, item, config.OutputBucket); name != "" {
		return name
	}
	if id := decided(settings, item, config.ConfigID); id != "" {
		return "ex-api-" + config.APIName.Of(config.APISection.In(settings)) + "-" + id
	}
	return ""
}

// decided is the value of a setting. An iteration overrides `config`, even with
// nothing.
func decided[T any](settings, item config.Section, setting field.Setting[T]) T {
	if _, ok := item.Value.Get(setting.Name); ok {
		return setting.Of(item)
	}
	return setting.Of(config.ConfigSection.In(settings))
}

// overwriting returns one problem for each bucket that several groups write to and
// one of them replaces.
func overwriting(all []writer) failure.Problems {
	var problems failure.Problems
	var seen []string
	for _, w := range all {
		if w.bucket == "" || slices.Contains(seen, w.bucket) {
			continue
		}
		seen = append(seen, w.bucket)
		var pointers []string
		shared, replacing := false, ""
		for _, other := range all {
			if other.bucket != w.bucket {
				continue
			}
			pointers = append(pointers, other.pointer)
			shared = shared || other.group != w.group
			if replacing == "" && !other.incremental {
				replacing = other.pointer
			}
		}
		if !shared || replacing == "" {
			continue
		}
		problems.Add(failure.Problem{Pointer: replacing,
			Expected: failure.Part(fmt.Sprintf("it replaces the tables in bucket %q, which several jobs of the split write to: %s", w.bucket, few(pointers))),
			Hint:     "set \"incrementalOutput\": true, with primary keys in mappings, or an \"outputBucket\" for each iteration"})
	}
	return problems
}

// few lists the first names and counts the rest.
func few(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// find returns the pointer of the first matching member in a section, "" for none.
func find(s config.Section, is func(name string, v value.Value) bool) string {
	for _, m := range s.Value.Members() {
		if is(m.Name, m.Value) {
			return failure.PointerJoin(s.Pointer, m.Name)
		}
	}
	for _, item := range s.Items() {
		if at := find(item, is); at != "" {
			return at
		}
	}
	return ""
}

// needsState reports whether a member refers to the previous run.
func needsState(name string, v value.Value) bool {
	return name == "time" && v.Kind() == value.String && v.Raw() == "previousStart"
}

// readsState reports whether a member refers to what earlier runs left.
func readsState(name string, v value.Value) bool {
	return name == string(expr.Remembered) && v.Kind() == value.String
}

// tiedToConfiguration reports whether a member is encrypted for its configuration
// only; the scheme between the first colons says so.
func tiedToConfiguration(name string, v value.Value) bool {
	scheme, is := strings.CutPrefix(v.Raw(), "KBC::")
	scheme, _, _ = strings.Cut(scheme, "::")
	return is && strings.HasPrefix(name, "#") && strings.Contains(scheme, "ConfigSecure")
}
