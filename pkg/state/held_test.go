package state

import (
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestHeld: what is held is for the next run what it was for this one; the limit of
// bytes knows.
func TestHeld(t *testing.T) {
	set := func(m *IterationValues, name, combination, text string) {
		t.Helper()
		if err := m.Set(name, combination, value.OfString(text)); err != nil {
			t.Fatal(err)
		}
	}
	var remembered Remembered
	state := Open(testvalue.Parse(t, `{"time":{"previousStart":3},"remembered":{"held":"old","frozen":"old","per":{"a":"old","b":"old"},"all":{"a":"old"}}}`), NewTime(5), &remembered)
	m := remembered.ForIteration("", []Name{{Name: "held"}, {Name: "frozen"}, {Name: "new"}, {Name: "per", Per: true}, {Name: "all", Per: true}}, func(text string) { t.Error(text) })
	before := m.bytes
	for _, name := range []string{"held", "frozen", "new"} {
		set(m, name, "", "first value")
	}
	for _, combination := range []string{"a", "b", "c"} {
		set(m, "per", combination, "first value")
		set(m, "all", combination, "first value")
	}
	m.Hold("held", "")
	m.Hold("new", "")
	m.Hold("per", "b")
	m.Hold("per", "d")
	m.Freeze("frozen")
	m.HoldAll("all")
	for _, name := range []string{"held", "frozen", "new"} {
		set(m, name, "", "second")
	}
	for _, combination := range []string{"a", "b", "d"} {
		set(m, "per", combination, "second")
		set(m, "all", combination, "second")
	}
	next, err := state.Next()
	want := `{"time":{"previousStart":5},"remembered":{"held":"old","frozen":"first value","per":{"a":"second","b":"old","c":"first value"},"all":{"a":"old"}}}`
	if err != nil || next.JSON() != want {
		t.Errorf("%v\n got %s\nwant %s", err, next.JSON(), want)
	}
	// "first value" and "second" for "old", one more value, and three combinations that
	// are still known.
	if more := m.bytes - before; more != (11-3)+(6-3)+11+3 {
		t.Errorf("%d more bytes", more)
	}
	if m.IsSet("held", "") || !m.IsSet("frozen", "") || m.Entry("per").Set != 2 || m.Entry("all").Set != 0 {
		t.Error("what is held counts as set")
	}
}

// TestHeldTime: the start of the previous run stays, also if there was none.
func TestHeldTime(t *testing.T) {
	for _, previous := range []string{`{"time":{"previousStart":3},"own":1}`, `{}`} {
		start := NewTime(5)
		state := Open(testvalue.Parse(t, previous), start)
		start.Hold()
		if next, err := state.Next(); err != nil || next.JSON() != previous {
			t.Errorf("%s, %v, want %s", next.JSON(), err, previous)
		}
	}
}

// TestIsHeld: a name is held after Hold, HoldAll and Freeze, and no other name is.
func TestIsHeld(t *testing.T) {
	for name, hold := range map[string]func(*IterationValues){
		"Hold":    func(m *IterationValues) { m.Hold("a", "") },
		"HoldAll": func(m *IterationValues) { m.HoldAll("a") },
		"Freeze":  func(m *IterationValues) { m.Freeze("a") },
	} {
		var r Remembered
		m := r.ForIteration("", []Name{{Name: "a"}, {Name: "b"}}, func(text string) { t.Error(text) })
		if m.IsHeld("a") || m.IsHeld("unknown") {
			t.Error("held before " + name)
		}
		if hold(m); !m.IsHeld("a") || m.IsHeld("b") {
			t.Error("not held after " + name)
		}
	}
	if (*IterationValues)(nil).IsHeld("a") {
		t.Error("held without values")
	}
}
