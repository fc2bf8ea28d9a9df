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
