package webui

import (
	"encoding/json"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// FuzzMaySay: no event that contains the phrase is skipped, and a plain event without the
// phrase is skipped.
func FuzzMaySay(f *testing.F) {
	for _, one := range [][2]string{
		{"GET /users answered 200", "get /USERS"}, {"a <b> & \"c\"", "<B> & \"C\""}, {`a\b`, `A\B`}, {"line\nline", "line\nl"}, {"čŘ ž", "ČŘ"},
		{"\u212Aelvin", "kelvin"}, {"kelvin", "\u212Aelvin"}, {"\xff\xfe", "\xff"}, {"a\u2028b", "a\u2028"}, {"", ""}, {"x", "y"}, {"{\"Message\"}", "message"},
	} {
		f.Add(one[0], one[1])
	}
	f.Fuzz(func(t *testing.T, message, phrase string) {
		text, err := json.Marshal(store.Event{Message: message})
		if err != nil {
			t.Fatal(err)
		}
		var stored store.Event
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		if may := mayContain(phrase); may != nil && !may(text) && contains(stored.Message, phrase) {
			t.Errorf("%q says %q", message, phrase)
		}
	})
}

func TestMaySayRefuses(t *testing.T) {
	t.Parallel()
	if mayContain("no such")([]byte(`{"Message":"GET /users"}`)) || !mayContain("get /U")([]byte(`{"Message":"GET /users"}`)) {
		t.Error("the text of an event is not searched")
	}
}
