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

// conflicts returns the problems that prevent the iterations of a document from running in
// one job for each group. It returns nil if there are none. Variables must be replaced
// already; a remaining placeholder counts as text. Each job validates the document itself.
func conflicts(document value.Value, groups []group) error {
	problems := dependencies(document)
	settings := settingsOf(document, &problems)
	all := writers(settings, groups)
	if i := slices.IndexFunc(all, func(w bucketWriter) bool { return w.bucket == "" }); i >= 0 {
		problems.Add(failure.Problem{Pointer: all[i].pointer,
			Expected: "without \"outputBucket\" the tables go to a bucket named after the configuration, which the jobs of a split do not have: each would fill a bucket of its own",
			Hint:     bucketHint(groups)})
	}
	problems = append(problems, overwriting(all)...)
	return problems.Unique().Err()
}

// dependencies returns the problems of a document that needs something that the jobs of a
// split do not have.
func dependencies(document value.Value) (problems failure.Problems) {
	settings := settingsOf(document, &problems)
	if at := find(settings, needsState); at != "" {
		problems.Add(failure.Problem{Pointer: at,
			Expected: "previousStart comes from the state of the run before, and the jobs of a split have none: each would read everything again",
			Hint:     "run it without --split"})
	}
	if at := findRemembered(settings); at != "" {
		problems.Add(failure.Problem{Pointer: at,
			Expected: "what is remembered comes from the state of the run before, and the jobs of a split have none: each would read everything again",
			Hint:     "run it without --split, or write what the jobs of the split are to fetch"})
	}
	if at := find(field.NewSection(document, "", &problems), tiedToConfiguration); at != "" {
		problems.Add(failure.Problem{Pointer: at,
			Expected: "the value is encrypted for its stored configuration alone, and the jobs of a split have none: the platform would not decrypt it",
			Hint:     "store it encrypted for the project"})
	}
	return problems
}

func bucketHint(groups []group) failure.Text {
	if groups[0].noun == byWindow {
		return "set \"outputBucket\" in \"config\""
	}
	return "set \"outputBucket\" in \"config\" or in each iteration"
}

// bucketWriter describes an iteration or a range of windows and the bucket that it writes
// to.
type bucketWriter struct {
	pointer     string
	group       group
	bucket      string // "" is the default bucket of the platform
	incremental bool
}

func writers(settings config.Section, groups []group) []bucketWriter {
	if groups[0].noun == byWindow {
		all, own := make([]bucketWriter, len(groups)), config.ConfigSection.In(settings)
		for i, g := range groups {
			all[i] = bucketWriter{own.Pointer, g, bucket(settings, config.Section{}), config.IncrementalOutput.Of(own)}
		}
		return all
	}
	items := config.IterationsSection.In(settings).Items()
	var all []bucketWriter
	for _, g := range groups {
		for _, item := range items[g.from:g.to] {
			all = append(all, bucketWriter{item.Pointer, g, bucket(settings, item), effective(settings, item, config.IncrementalOutput)})
		}
	}
	return all
}

// bucket returns the bucket of an iteration by the rule of the component: the configured
// name, or the name of the API and the id.
func bucket(settings, item config.Section) string {
	if name := effective(settings, item, config.OutputBucket); name != "" {
		return name
	}
	if id := effective(settings, item, config.ConfigID); id != "" {
		return "ex-api-" + config.APIName.Of(config.APISection.In(settings)) + "-" + id
	}
	return ""
}

// effective returns the value of a setting. A setting of the iteration overrides `config`,
// even with an empty value.
func effective[T any](settings, item config.Section, setting field.Setting[T]) T {
	if _, ok := item.Value.Get(setting.Name); ok {
		return setting.Of(item)
	}
	return setting.Of(config.ConfigSection.In(settings))
}

// overwriting returns a problem for each bucket that several groups write to and at least
// one of them replaces.
func overwriting(all []bucketWriter) failure.Problems {
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
		found, hint := fmt.Sprintf("it replaces the tables in bucket %q, which several jobs of the split write to", w.bucket), failure.Text("set \"incrementalOutput\": true, with primary keys in mappings")
		if w.group.noun == byIteration {
			found, hint = found+": "+few(pointers), hint+", or an \"outputBucket\" for each iteration"
		}
		problems.Add(failure.Problem{Pointer: replacing, Expected: failure.Part(found), Hint: hint})
	}
	return problems
}

func few(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// find returns the pointer of the first matching member in a section, or "".
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

func needsState(name string, v value.Value) bool {
	return name == "time" && v.Kind() == value.String && v.Raw() == "previousStart"
}

// findRemembered returns the pointer of the first reference to a remembered value, or "".
func findRemembered(s config.Section) (at string) {
	expr.AllReferences().Walk(s.Value, s.Pointer, false, func(f expr.Form, pointer string) {
		if at == "" && f.Is(expr.Remembered) {
			at = pointer
		}
	})
	return at
}

// tiedToConfiguration reports whether a member is encrypted for its configuration only. The
// text between the first colons of a cipher names the scope.
func tiedToConfiguration(name string, v value.Value) bool {
	scheme, is := strings.CutPrefix(v.Raw(), "KBC::")
	scheme, _, _ = strings.Cut(scheme, "::")
	return is && strings.HasPrefix(name, "#") && strings.Contains(scheme, "ConfigSecure")
}
