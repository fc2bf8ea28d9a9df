package plan

import (
	"bytes"
	"strings"
	"testing"
)

// A condition on rows is not evaluated with stand-ins, with and without windows.
func TestConditionOnRows(t *testing.T) {
	for _, windows := range []string{"", `, "windows": {"from": "2024-01-01", "to": "2024-01-03", "step": "1 day"}`} {
		text := `{"parameters": {"api": {"baseUrl": "http://api.test/"}, "config": {"jobs": [{"endpoint": "orders", "children": [
			{"endpoint": "orders/{id}", "placeholders": {"id": "id"}, "if": {"function": "substr", "args": [{"placeholder": "id"}, 0, 0]}` + windows + `}]}]}}}`
		p, err := Of(t.Context(), []byte(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := p.WriteText(&out); err != nil || !strings.Contains(out.String(), "GET http://api.test/orders/{id ←") {
			t.Errorf("%v: %s", err, out.String())
		}
	}
}

// previewText returns the plan of a configuration with one job.
func previewText(t *testing.T, job string) string {
	t.Helper()
	p, err := Of(t.Context(), []byte(`{"parameters": {"api": {"baseUrl": "http://api.test/"}, "config": {"jobs": [`+job+`]}}}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The user data of a child job is not evaluated with stand-ins: it is not a part of the
// request, and a function may reject a stand-in.
func TestUserDataOfRows(t *testing.T) {
	text := previewText(t, `{"endpoint": "orders", "children": [{"endpoint": "orders/{id}", "placeholders": {"id": "id"},
		"userData": {"tags": {"function": "implode", "args": [",", {"parentItem": "tags"}]}}}]}`)
	if !strings.Contains(text, "GET http://api.test/orders/{id ←") {
		t.Error(text)
	}
}

// A child job without a window has its notes, as a child job that its 'if' skips, and the
// jobs below it have no requests.
func TestChildWithoutWindow(t *testing.T) {
	text := previewText(t, `{"endpoint": "orders", "children": [{"endpoint": "orders/{id}", "placeholders": {"id": "id"}, "credentials": false,
		"windows": {"from": "2024-01-03", "to": "2024-01-01", "step": "1 day"}, "children": [{"endpoint": "below/{id}"}]}]}`)
	const want = `
    orders/{id}  (/parameters/config/jobs/0/children/0)
      Called for each row of "orders".
      Sends its requests without the credentials of the API.

      No request: it does not run: there is no window between 'from' and 'to'
`
	if !strings.HasSuffix(text, want) {
		t.Error(text)
	}
}
