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

// branch refuses every branch except the default branch.
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

// hasValues reports whether variableValuesData contains any value.
func hasValues(data json.RawMessage) bool {
	v, err := value.Parse(data)
	return err == nil && v.Field("values").Len() > 0
}

// extra returns the members that are stored for the record only. They have no effect here:
// for example, a job with a delay starts at once.
func (f *fields) extra(r *http.Request) map[string]json.RawMessage {
	kept := map[string]json.RawMessage{}
	keep := func(name string, valid func(value.Value) bool, want string) {
		v, given := f.get(name)
		if !given {
			return
		}
		if !valid(v) {
			f.fail("%q must be %s", name, want)
			return
		}
		kept[name] = f.document(name, v)
	}
	keep("parallelism", isParallelism, `a whole number from 0 to 100 or "infinity"`)
	keep("backend", isBackend, `an object with a "type" of xsmall, small, medium or large`)
	keep("behavior", isBehavior, `an object with a string "onError"`)
	keep("delay", isSeconds, "a number of seconds")
	keep("delayedStartTime", isTime, "a time like 2006-01-02T15:04:05+00:00")
	keep("type", isJobType, quoted(jobTypes()))
	keep("onlyOrchestrationTaskIds", isTexts, "a list of ids")
	keep("parentRunId", isRunID, "the run id of a job")
	for _, name := range []string{"orchestrationJobId", "orchestrationTaskId", "previousJobId", "executor"} {
		keep(name, isText, "a string")
	}
	_, delay := kept["delay"]
	if _, start := kept["delayedStartTime"]; delay && start {
		f.fail(`Provide either "delay" or "delayedStartTime", but not both.`)
	}
	if parent := r.Header.Get(runHeader); kept["parentRunId"] == nil && validID(parent) {
		kept["parentRunId"] = json.RawMessage(value.OfString(parent).JSON())
	}
	return kept
}

func isText(v value.Value) bool {
	return (v.Kind() == value.String || v.Kind() == value.Number) && len(v.Raw()) <= maxID
}

func isRunID(v value.Value) bool {
	return isText(v) && (v.Raw() == "" || validID(v.Raw()))
}

func isTexts(v value.Value) bool {
	return v.Kind() == value.Array && !slices.ContainsFunc(v.Items(), func(item value.Value) bool { return !isText(item) })
}

func isSeconds(v value.Value) bool {
	_, ok := wholeNumber(v, 0, math.MaxInt32)
	return ok
}

func isTime(v value.Value) bool {
	_, ok := parseTime(v.Raw())
	return ok && v.Kind() == value.String
}

func isParallelism(v value.Value) bool {
	_, ok := wholeNumber(v, 0, 100)
	return ok || v.Kind() == value.String && v.Raw() == "infinity"
}

func isBackend(v value.Value) bool {
	sizes := []string{"xsmall", "small", "medium", "large"}
	size := v.Field("type")
	return emptyList(v) || v.Kind() == value.Object && (size.IsNull() || slices.Contains(sizes, size.Raw()))
}

func isBehavior(v value.Value) bool {
	onError := v.Field("onError")
	return emptyList(v) || v.Kind() == value.Object && (onError.IsNull() || onError.Kind() == value.String)
}

func jobTypes() []string {
	return []string{"standard", "container", "phaseContainer", "orchestrationContainer", "retryContainer"}
}

func isJobType(v value.Value) bool { return slices.Contains(jobTypes(), v.Raw()) }
