package platformapi

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func modes() []string { return []string{store.Run, store.ForceRun, store.Debug} }

func (f *fields) mode() string {
	mode := cmp.Or(f.text("mode"), store.Run)
	if !slices.Contains(modes(), mode) {
		f.fail(`Mode must be one of "run", "forceRun" or "debug".`)
	}
	return mode
}

func (f *fields) branch() {
	id := f.text("branchId")
	if id != "" && id != "default" && id != strconv.Itoa(branchID) {
		f.fail(unresolved+"Branch %q not found", id)
	}
}

// configData returns the configuration in the request, or nil. If the request also names a
// stored configuration, an empty object counts as absent, because PHP clients always send
// it.
func (s *server) configData(f *fields) json.RawMessage {
	data := s.sealed(f, f.id("component"), "configData")
	if string(data) == "{}" && f.text("config") != "" {
		return nil
	}
	return data
}

func (f *fields) rowIDs() []string {
	v, given := f.get("configRowIds")
	if !given {
		return nil
	}
	var ids []string
	for _, item := range v.Items() {
		if item.Kind() != value.String && item.Kind() != value.Number || !validID(item.Raw()) {
			f.fail(`"configRowIds" must be a list of row ids`)
		}
		ids = append(ids, item.Raw())
	}
	if v.Kind() != value.Array {
		f.fail(`"configRowIds" must be a list of row ids`)
	}
	return ids
}

func rowIDsOf(configData json.RawMessage) []string {
	v, err := value.Parse(configData)
	if err != nil {
		return nil
	}
	var ids []string
	for _, row := range v.Field("rows").Items() {
		ids = append(ids, row.Field("id").Raw())
	}
	return ids
}

// variableValues returns variableValuesData unchanged: {"values": [{"name", "value"}]}.
// Other members are errors. Names and values must not be null or ""; 0 and false are valid
// values.
func (f *fields) variableValues() json.RawMessage {
	v, given := f.get("variableValuesData")
	if !given || emptyList(v) {
		return nil
	}
	const key = `"variableValuesData"`
	values := v.Field("values")
	switch {
	case v.Kind() != value.Object:
		f.fail(key+" must be an object, not %s", v.Kind().WithArticle())
	case !values.IsNull() && values.Kind() != value.Array:
		f.fail(key+`.values must be a list, not %s`, values.Kind().WithArticle())
	}
	for _, m := range v.Members() {
		if m.Name != "values" {
			f.fail(`Unrecognized option %q under `+key+`. Available option is "values".`, m.Name)
		}
	}
	for i, pair := range values.Items() {
		f.variableValue(i, pair)
	}
	return f.document("variableValuesData", v)
}

func (f *fields) variableValue(i int, pair value.Value) {
	const key = `"variableValuesData".values`
	if pair.Kind() != value.Object {
		f.fail(key+"[%d] must be an object, not %s", i, pair.Kind().WithArticle())
		return
	}
	for _, m := range pair.Members() {
		if m.Name != "name" && m.Name != "value" {
			f.fail(`Unrecognized option %q under `+key+`[%d]. Available options are "name", "value".`, m.Name, i)
		}
	}
	if name := pair.Field("name"); name.IsNull() || name.IsScalar() && name.Raw() == "" {
		f.fail("Variable name cannot be empty.")
	} else if !name.IsScalar() {
		f.fail(key+"[%d].name must be a scalar, not %s", i, name.Kind().WithArticle())
	}
	if given := pair.Field("value"); given.IsNull() || given.IsScalar() && given.Raw() == "" {
		f.fail("Value of variable %q cannot be empty.", pair.Field("name").Raw())
	} else if !given.IsScalar() {
		f.fail(key+"[%d].value must be a scalar, not %s", i, given.Kind().WithArticle())
	}
}

func hasValues(data json.RawMessage) bool {
	v, err := value.Parse(data)
	return err == nil && v.Field("values").Len() > 0
}

// jobExtra is a member of a job that is stored for the record only. It has no effect here:
// for example, a job with a delay starts at once.
type jobExtra struct {
	name string
	// fallback is the JSON in the record of a job without the member.
	fallback string
	expected string
	isValid  func(value.Value) bool
}

func jobExtras() []jobExtra {
	isText := func(v value.Value) bool {
		return (v.Kind() == value.String || v.Kind() == value.Number) && len(v.Raw()) <= maxID
	}
	// isObject accepts an object with a member that is null or valid.
	isObject := func(member string, isValid func(value.Value) bool) func(value.Value) bool {
		return func(v value.Value) bool {
			m := v.Field(member)
			return emptyList(v) || v.Kind() == value.Object && (m.IsNull() || isValid(m))
		}
	}
	oneOf := func(words ...string) func(value.Value) bool {
		return func(v value.Value) bool { return slices.Contains(words, v.Raw()) }
	}
	return []jobExtra{
		{"parallelism", "null", `a whole number from 0 to 100 or "infinity"`, func(v value.Value) bool {
			_, ok := wholeNumber(v, 0, 100)
			return ok || v.Kind() == value.String && v.Raw() == "infinity"
		}},
		{"backend", "{}", `an object with a "type" of xsmall, small, medium or large`,
			isObject("type", oneOf("xsmall", "small", "medium", "large"))},
		{"behavior", `{"onError":null}`, `an object with a string "onError"`,
			isObject("onError", func(v value.Value) bool { return v.Kind() == value.String })},
		{"delay", "null", "a number of seconds", func(v value.Value) bool {
			_, ok := wholeNumber(v, 0, math.MaxInt32)
			return ok
		}},
		{"delayedStartTime", "null", "a time like 2006-01-02T15:04:05+00:00", func(v value.Value) bool {
			_, ok := parseTime(v.Raw())
			return ok && v.Kind() == value.String
		}},
		{"type", `"standard"`, quoted(jobTypes()), oneOf(jobTypes()...)},
		{"onlyOrchestrationTaskIds", "null", "a list of ids", func(v value.Value) bool {
			return v.Kind() == value.Array && !slices.ContainsFunc(v.Items(), func(item value.Value) bool { return !isText(item) })
		}},
		{"parentRunId", `""`, "the run id of a job", func(v value.Value) bool {
			return isText(v) && (v.Raw() == "" || validID(v.Raw()))
		}},
		{"orchestrationJobId", "null", "a string", isText},
		{"orchestrationTaskId", "null", "a string", isText},
		{"previousJobId", "null", "a string", isText},
		{"executor", `"dind"`, "a string", isText},
	}
}

func jobTypes() []string {
	return []string{"standard", "container", "phaseContainer", "orchestrationContainer", "retryContainer"}
}

// extras returns the members of jobExtras in a request.
func (f *fields) extras(r *http.Request) map[string]json.RawMessage {
	kept := map[string]json.RawMessage{}
	for _, extra := range jobExtras() {
		v, given := f.get(extra.name)
		switch {
		case given && !extra.isValid(v):
			f.fail("%q must be %s", extra.name, extra.expected)
		case given:
			kept[extra.name] = f.document(extra.name, v)
		}
	}
	if kept["delay"] != nil && kept["delayedStartTime"] != nil {
		f.fail(`Provide either "delay" or "delayedStartTime", but not both.`)
	}
	if parent := r.Header.Get(runHeader); kept["parentRunId"] == nil && validID(parent) {
		kept["parentRunId"] = json.RawMessage(value.OfString(parent).JSON())
	}
	return kept
}

func extrasOf(j store.Job) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, extra := range jobExtras() {
		all[extra.name] = orRaw(j.Extra[extra.name], extra.fallback)
	}
	return all
}
