package functional

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/event"
)

// shows reports whether an event has every member of the expected one.
func (e occurrence) shows(expected occurrence) bool {
	for name, value := range expected {
		if !reflect.DeepEqual(e[name], value) {
			return false
		}
	}
	return true
}

// checkEvents checks that the expected events came, in their order, and that
// with config.debug there is one event for each request, otherwise none.
func (c *testCase) checkEvents(t *testing.T, got []occurrence, sent []string) {
	t.Helper()
	if i := c.missing(got); i < len(c.events) {
		t.Errorf("line %d of events.jsonl has no event after those of the lines before: %s", i+1, linesOf(c.events[i:i+1]))
	}
	for _, kind := range slices.Concat(c.Complete, findingKinds()) {
		if n, want := countKind(got, kind), countKind(c.events, kind); n != want {
			t.Errorf("%d events of kind %s, want %d", n, kind, want)
		}
	}
	var reported []string
	for _, e := range got {
		if e["event"] == "request.sent" {
			reported = append(reported, requestOf(e))
		}
	}
	if c.AnyOrder {
		slices.Sort(reported)
		sent = slices.Sorted(slices.Values(sent))
	}
	switch debug := c.debug(t); {
	case debug == "on" && !slices.EqualFunc(reported, sent, conceals):
		t.Errorf("with debug, the events report other requests than were sent:\nreported: %s\nsent: %s", strings.Join(reported, "\n      "), strings.Join(sent, "\n      "))
	case debug == "off" && len(reported) > 0:
		t.Errorf("without debug, events report requests: %s", reported)
	}
}

// findingKinds are the kinds of events that say that data may be missing. A case
// has none of them but those that it expects: a run that is complete does not
// warn.
func findingKinds() []string {
	var all []string
	for _, body := range event.Bodies() {
		if _, ok := body.(event.Finding); ok {
			all = append(all, event.KindOf(body))
		}
	}
	return all
}

// missing is the number of the first expected event that did not come after
// those before it, or the number of all expected events.
func (c *testCase) missing(got []occurrence) int {
	for i, expected := range c.events {
		at := slices.IndexFunc(got, func(e occurrence) bool { return e.shows(expected) })
		if at < 0 {
			return i
		}
		got = got[at+1:]
	}
	return len(c.events)
}

func countKind(events []occurrence, kind string) int {
	n := 0
	for _, e := range events {
		if e["event"] == kind {
			n++
		}
	}
	return n
}

// requestOf is the request an event reports, as the script notes it.
func requestOf(e occurrence) string {
	text, _ := e["path"].(string)
	if query, _ := e["query"].(string); query != "" {
		text += "?" + query
	}
	method, _ := e["method"].(string)
	return method + " " + text
}

// conceals reports whether the first text is the second one, but for secrets that
// are masked.
func conceals(masked, text string) bool {
	parts := strings.Split(masked, "[hidden]")
	for i, part := range parts {
		at := strings.Index(text, part)
		if i == len(parts)-1 && i > 0 {
			at = strings.LastIndex(text, part)
			return at >= 0 && at+len(part) == len(text)
		}
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return text == ""
}

// debug reports whether the configuration turns debug "on" or "off"; "" when the
// answer depends on the iteration or on the platform, whose requests are reported
// by no event.
func (c *testCase) debug(t *testing.T) string {
	t.Helper()
	type settings struct {
		Config struct {
			Debug any `json:"debug"`
		} `json:"config"`
		Iterations any `json:"iterations"`
	}
	var document struct {
		settings
		Parameters *settings `json:"parameters"`
	}
	text, err := c.read("config.json")
	if err != nil || json.Unmarshal(text, &document) != nil {
		return ""
	}
	s := document.settings
	if document.Parameters != nil {
		s = *document.Parameters
	}
	switch on, isFlag := s.Config.Debug.(bool); {
	case s.Iterations != nil || s.Config.Debug != nil && !isFlag || c.Env["KBC_URL"] != "":
		return ""
	case on:
		return "on"
	default:
		return "off"
	}
}

// updateEvents takes the values of the expected members from the next event of
// the same kind.
func (c *testCase) updateEvents(t *testing.T, got []occurrence) {
	t.Helper()
	for _, expected := range c.events {
		at := slices.IndexFunc(got, func(e occurrence) bool { return e["event"] == expected["event"] })
		if at < 0 {
			t.Errorf("no event of kind %v to update from", expected["event"])
			return
		}
		for name := range expected {
			expected[name] = got[at][name]
		}
		got = got[at+1:]
	}
}

// linesOf are events as they are in events.jsonl, the kind first.
func linesOf(events []occurrence) string {
	var b strings.Builder
	for _, e := range events {
		names := make([]string, 0, len(e))
		for name := range e {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int {
			if a == "event" || b == "event" {
				return map[bool]int{true: -1, false: 1}[a == "event"]
			}
			return strings.Compare(a, b)
		})
		members := make([]string, len(names))
		for i, name := range names {
			members[i] = jsonText(name) + ":" + jsonText(e[name])
		}
		b.WriteString("{" + strings.Join(members, ",") + "}\n")
	}
	return b.String()
}

func jsonText(v any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
