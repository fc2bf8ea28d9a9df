package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxErrorText is the maximum length, in bytes, of an error of the API in a message.
const maxErrorText = 200

// refusal returns the members of a successful response that report an error. It returns
// "" if there are no such members or the response holds data.
func (d *configBuilder) refusal() string {
	var said []string
	resource := slices.ContainsFunc(d.root.Members(), func(m value.Member) bool { return textfmt.Letters(m.Name) == "id" && !m.Value.Empty() })
	for _, m := range d.root.Members() {
		name := textfmt.Letters(m.Name)
		switch text := strings.ToLower(m.Value.Raw()); {
		case slices.Contains([]string{"success", "ok", "issuccess", "succeeded"}, name) && (m.Value.Kind() == value.Bool || m.Value.Kind() == value.String) && (text == "false" || text == "no" || text == "error"),
			slices.Contains([]string{"iserror", "haserrors", "haserror"}, name) && m.Value.Kind() == value.Bool && text == "true",
			!resource && slices.Contains([]string{"status", "result", "state"}, name) && m.Value.Kind() == value.String && slices.Contains([]string{"error", "fail", "failed", "failure"}, text),
			slices.Contains([]string{"error", "errors"}, name) && !m.Value.Empty() && text != "false":
			said = append(said, quote(m.Name)+" is "+textfmt.Cut(m.Value.JSON(), maxErrorText))
		}
	}
	if len(said) == 0 || d.hasData() {
		return ""
	}
	return strings.Join(said, ", ")
}

// hasData reports whether the response has a list of objects that are not errors. A list
// of errors counts as data if the path of the request ends with its name.
func (d *configBuilder) hasData() bool {
	requested, _ := lastName(strings.Split(d.url.Path, "/"), genericPath)
	return slices.ContainsFunc(d.lists, func(l list) bool {
		return l.objects > 0 && !slices.ContainsFunc(l.keyPath, func(name string) bool {
			short := textfmt.Letters(name)
			if short == textfmt.Letters(requested) {
				return false
			}
			return strings.HasPrefix(short, "error") || slices.Contains([]string{"warnings", "messages", "details"}, short)
		})
	})
}

// remarkErrors adds a note if a response with data reports errors too.
func (d *configBuilder) remarkErrors() {
	for _, m := range d.root.Members() {
		if m.Name != d.data.label() && slices.Contains([]string{"error", "errors"}, textfmt.Letters(m.Name)) && !m.Value.Empty() && m.Value.Raw() != "false" {
			d.note(fmt.Sprintf("The response has data and reports errors too (%s is %s). Check that the data is complete.", quote(m.Name), textfmt.Cut(m.Value.JSON(), maxErrorText)))
		}
	}
}
