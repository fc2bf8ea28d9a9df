package field

import (
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func newSection(t *testing.T, text string) (Section, *failure.Problems) {
	problems := &failure.Problems{}
	return NewSection(testvalue.Parse(t, text), "/s", problems), problems
}

func TestSectionText(t *testing.T) {
	rows := map[string]string{`null`: "d", `""`: "d", `"0"`: "d", `0`: "d", `false`: "d", `[]`: "d", `"a"`: "a", `5`: "5", `1.50`: "1.5", `true`: "1"}
	for in, want := range rows {
		s, problems := newSection(t, `{"a":`+in+`}`)
		if got := s.Get("a").text("d"); got != want || len(*problems) > 0 {
			t.Errorf("%s: got %q, want %q, %v", in, got, want, *problems)
		}
	}
}

func TestSectionInt(t *testing.T) {
	rows := map[string]int{`null`: 9, `""`: 9, `[]`: 9, `false`: 9, `0`: 0, `"0"`: 0, `5`: 5, `"-5"`: -5, `" 7 "`: 7, `4.9`: 4, `"4.9"`: 4, `1e2`: 100}
	for in, want := range rows {
		s, problems := newSection(t, `{"a":`+in+`}`)
		if got := s.Get("a").int(9); got != want || len(*problems) > 0 {
			t.Errorf("%s: got %d, want %d, %v", in, got, want, *problems)
		}
	}
}

func TestSectionBool(t *testing.T) {
	rows := map[string]bool{`null`: true, `""`: false, `"0"`: false, `0`: false, `false`: false, `[]`: false, `{}`: false, `"false"`: true, `1`: true, `[0]`: true}
	for in, want := range rows {
		s, _ := newSection(t, `{"a":`+in+`}`)
		if got := s.Get("a").bool(true); got != want {
			t.Errorf("%s: got %v, want %v", in, got, want)
		}
	}
}

func TestSectionProblems(t *testing.T) {
	s, problems := newSection(t, `{"a/b":{"c":"x"},"list":["y",[1]]}`)
	if got := s.Get("a/b").Get("c").int(3); got != 3 {
		t.Errorf("got %d", got)
	}
	if got := s.Get("list").text("d"); got != "d" {
		t.Errorf("got %q", got)
	}
	for _, item := range s.Get("list").Items() {
		item.Problem("expected luck", "try again")
	}
	s.Get("missing").Problem("expected it", "")
	sameLines(t, "problems", lines(*problems), []string{
		`/s/a~1b/c: expected an integer, found "x"`,
		`/s/list: expected a string, found a list of 2`,
		`/s/list/0: expected luck, found "y"; try again`,
		`/s/list/1: expected luck, found a list of 1; try again`,
		`/s/missing: expected it`,
	})
}

func TestSectionItems(t *testing.T) {
	s, _ := newSection(t, `{"o":{"x":1,"y":2},"l":[3],"s":"x"}`)
	var got []string
	for _, name := range []string{"o", "l", "s", "none"} {
		for _, item := range s.Get(name).Items() {
			got = append(got, item.Pointer+"="+item.Value.JSON())
		}
	}
	sameLines(t, "items", got, []string{"/s/o/x=1", "/s/o/y=2", "/s/l/0=3"})
}
