package queue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/phpjson"
)

// maxProcessTimeout is the maximum timeout that a configuration can set.
const maxProcessTimeout = 24 * time.Hour

func rootKeys() []string {
	return []string{"parameters", "storage", "image_parameters", "authorization", "action"}
}

// knownKeys returns all keys that are known at the top of a configuration, sorted. api
// and config are for configurations without "parameters".
func knownKeys() []string {
	known := append(rootKeys(), "api", "artifacts", "config", "processors", "runtime",
		"shared_code_id", "shared_code_row_ids", "variables_id", "variables_values_id")
	slices.Sort(known)
	return known
}

// checkRoot returns a user error for a configuration that the platform refuses before the
// component starts.
func checkRoot(doc value.Value) error {
	if doc.Kind() != value.Object && !isEmpty(doc) {
		return failure.Userf("The configuration is not an object, but: %s", doc.Kind())
	}
	known := knownKeys()
	var unknown []string
	for _, m := range doc.Members() {
		if !slices.Contains(known, m.Name) {
			unknown = append(unknown, m.Name)
		}
	}
	if len(unknown) > 0 {
		plural := ""
		if len(unknown) > 1 {
			plural = "s"
		}
		return failure.Userf(`Unrecognized option%s "%s" under "container". Available options are "%s".`,
			plural, strings.Join(unknown, ", "), strings.Join(known, `", "`))
	}
	for _, name := range append(rootKeys()[:4], "processors", "runtime") {
		if section := doc.Field(name); section.IsScalar() {
			return failure.Userf(`Invalid type for path "container.%s". Expected "array", but got "%s"`, name, section.Kind())
		}
	}
	return nil
}

// deliver returns the configuration as the component gets it: converted as by the PHP of
// the platform, with all sections for the component, and without the sections for the
// platform.
func deliver(doc value.Value) (value.Value, error) {
	doc, err := phpjson.Of(doc)
	if err != nil {
		return doc, failure.Applicationf("the platform's PHP cannot write the configuration: %w", err)
	}
	context := doc.Field("runtime").Field("backend").Field("context")
	delivered := doc
	if doc.Kind() != value.Object {
		delivered = value.OfMembers()
	}
	delivered = delivered.Without("processors", "runtime")
	for _, name := range rootKeys()[:4] {
		if isEmpty(delivered.Field(name)) || delivered.Field(name).IsNull() {
			delivered = delivered.With(name, value.OfMembers())
		}
	}
	// Image parameters belong to the component, not to its configurations.
	delivered = delivered.With("image_parameters", value.OfMembers())
	if !context.IsNull() {
		delivered = delivered.With("authorization", delivered.Field("authorization").With("context", context))
	}
	return delivered.With("action", value.OfString("run")), nil
}

// processTimeout returns the maximum duration of a run with this configuration. It
// returns standard if the configuration sets no timeout.
func processTimeout(doc value.Value, standard time.Duration) (time.Duration, error) {
	wanted := doc.Field("runtime").Field("process_timeout")
	if wanted.IsNull() {
		return standard, nil
	}
	seconds, ok := wanted.Int()
	if !ok || !wanted.IsInteger() || seconds <= 0 || seconds > int64(maxProcessTimeout/time.Second) {
		return 0, failure.Userf(`Invalid value for path "container.runtime.process_timeout": expected an integer from 1 to %d`,
			maxProcessTimeout/time.Second)
	}
	return time.Duration(seconds) * time.Second, nil
}

func indentJSON(v value.Value) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, v.AppendEscapedJSON(nil), "", "    "); err != nil {
		return nil, fmt.Errorf("laying out a document: %w", err)
	}
	return b.Bytes(), nil
}
