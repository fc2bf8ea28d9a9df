package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestMain lets the program start the test binary in its roles.
func TestMain(m *testing.M) {
	if code, ok := playRole(); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// TestEveryWorkloadAtATinyScale runs the whole program: extractor, floor, API
// and launcher are processes. That extractor and floor wrote the same is checked
// by the program itself.
func TestEveryWorkloadAtATinyScale(t *testing.T) {
	slowtest.OutsideCI(t, "it runs all workloads")
	// Else every process with the race detector ends with a second of sleep.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	temp := t.TempDir()
	var progress strings.Builder
	s := settings{rounds: 1, scale: 0.001, temp: temp, development: true}
	rep, err := s.measure(t.Context(), &progress)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
	want := map[string]map[string]int{
		"A":   {"items": pageSize},
		"A1":  {"items": pageSize},
		"A10": {"items": 2 * pageSize},
		"B":   {"items": 4967},
		"F1":  {"items": 1134},
		"F2":  {"items": 635},
		"F3":  {"items": 495},
		"C":   {"parents": 1, "children": 1},
		"C16": {"parents": 1, "children": 1},
		"P":   {"items": pageSize},
		"P16": {"items": pageSize},
		"D":   {"items": pageSize, "items_tags": 2 * pageSize},
		"R":   {"parents": 100, "children": 100},
		"T":   {"items": listRows, "items_l0": listRows, "items_l1": listRows, "items_l2": listRows, "items_l3": listRows},
		"E1":  {},
		"E2":  {"items": 5},
	}
	got := map[string]map[string]int{}
	for _, res := range rep.Results {
		got[res.Name] = map[string]int{}
		for name, facts := range res.Tables {
			got[res.Name][name] = facts.Rows
		}
		checkMeasured(t, res)
	}
	if !maps.EqualFunc(got, want, maps.Equal) {
		t.Errorf("rows: %v\nexpected %v", got, want)
	}
	checkPrinted(t, rep)
}

func checkMeasured(t *testing.T, res result) {
	t.Helper()
	for who, u := range map[string]usage{"extractor": res.Extractor, "floor": res.Floor} {
		if u.Wall <= 0 || u.CPU <= 0 || u.CPU > 10*u.Wall {
			t.Errorf("%s: %s took %v, %v of CPU", res.Name, who, u.Wall, u.CPU)
		}
	}
	if sent := res.Bytes > 0; sent != (res.Name != "E1") {
		t.Errorf("%s: %d bytes of bodies", res.Name, res.Bytes)
	}
	if len(res.Goals) == 0 {
		t.Errorf("%s has no goals", res.Name)
	}
}

// checkPrinted looks for every workload and goal in the table and in the JSON.
func checkPrinted(t *testing.T, rep report) {
	t.Helper()
	var table, text bytes.Buffer
	if err := errors.Join(rep.writeTable(&table), rep.writeJSON(&text)); err != nil {
		t.Fatal(err)
	}
	var again report
	if err := json.Unmarshal(text.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	for i, res := range rep.Results {
		if !strings.Contains(table.String(), "\n"+res.Name+" ") || again.Results[i].Extractor != res.Extractor {
			t.Errorf("%s is missing in\n%s\n%s", res.Name, &table, &text)
		}
		for _, g := range res.Goals {
			if !strings.Contains(table.String(), g.Goal+" ") || !slices.Contains(again.Results[i].Goals, g) {
				t.Errorf("the goal %q is missing in\n%s\n%s", g.Goal, &table, &text)
			}
		}
	}
}

func TestGoals(t *testing.T) {
	second := usage{Wall: time.Second, CPU: time.Second, Peak: 40 * megabyte}
	a := result{Bytes: 100, Extractor: second, Floor: second, Ratio: ratio{1, 1, 1}, Tables: tables{"t": {Rows: 1}}}
	tests := []struct {
		name   string
		goal   goal
		result result
		is     string
		met    bool
	}{
		{"CPU reached", cpuRatio(2.5), result{Ratio: ratio{CPU: 2.5}}, "2.50", true},
		{"CPU missed", cpuRatio(2.5), result{Ratio: ratio{CPU: 2.6}}, "2.60", false},
		{"wall reached", wallWithinCPU(), result{Extractor: usage{Wall: 2 * time.Second, CPU: 2 * time.Second}}, "1.00", true},
		{"wall missed", wallWithinCPU(), result{Extractor: usage{Wall: 3 * time.Second, CPU: 2 * time.Second}}, "1.50", false},
		{"memory reached", peak(40), a, "40.0 MB", true},
		{"memory missed", peak(39), a, "40.0 MB", false},
		{"memory unknown", peak(40), result{}, "?", false},
		{"memory indistinguishable from the launcher's", peak(40), result{Extractor: usage{Peak: megabyte, Least: megabyte}}, "≤1.0 MB", true},
		{"growth reached", growth("A", 10), result{Extractor: usage{Peak: 43 * megabyte}}, "+7.5 %", true},
		{"growth missed", growth("A", 10), result{Extractor: usage{Peak: 44 * megabyte}}, "+10.0 %", false},
		{"growth over nothing", growth("X", 10), a, "?", false},
		{"time reached", wallBelow(time.Second), a, "1.00 s", true},
		{"time missed", wallBelow(999 * time.Millisecond), a, "1.00 s", false},
		{"same tables", sameTables("A"), a, "the same", true},
		{"other tables", sameTables("A"), result{Tables: tables{"t": {Rows: 2}}}, "others", false},
		{"CPU for a byte reached", cpuPerByte("A", 4), result{Bytes: 50, Extractor: usage{CPU: 2 * time.Second}}, "4.00", true},
		{"CPU for a byte missed", cpuPerByte("A", 4), result{Bytes: 25, Extractor: usage{CPU: 2 * time.Second}}, "8.00", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if is, met := tt.goal.measure(tt.result, map[string]result{"A": a}); is != tt.is || met != tt.met {
				t.Errorf("%s: %s, %t, expected %s, %t", tt.goal.text, is, met, tt.is, tt.met)
			}
		})
	}
}

func TestMedian(t *testing.T) {
	round := func(n int64) usage { return usage{time.Duration(n), time.Duration(10 - n), n * n, 1} }
	tests := []struct {
		name string
		all  []usage
		want usage
	}{
		{"one", []usage{round(3)}, usage{3, 7, 9, 1}},
		{"odd number, each measure by itself", []usage{round(5), round(1), round(3)}, usage{3, 7, 9, 1}},
		{"even number", []usage{round(4), round(1), round(2), round(3)}, usage{2, 7, 4, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := median(tt.all); got != tt.want {
				t.Errorf("%v, expected %v", got, tt.want)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	mine := tables{"a": {Rows: 2, SHA256: "x"}}
	tests := []struct {
		name      string
		floor     tables
		generated bool
		want      string
	}{
		{"the same", tables{"a": {Rows: 2, SHA256: "x"}}, false, ""},
		{"other rows", tables{"a": {Rows: 3, SHA256: "x"}}, true, "table a: 2 rows of the extractor, 3 of the floor"},
		{"other bytes", tables{"a": {Rows: 2, SHA256: "y"}}, false, "table a: extractor and floor wrote different bytes"},
		{"other bytes because of ids", tables{"a": {Rows: 2, SHA256: "y"}}, true, ""},
		{"another table", tables{"b": {Rows: 2, SHA256: "x"}}, true, "the extractor wrote the tables [a], the floor [b]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := mine.compare(tt.floor, tt.generated)
			if got := message(err); got != tt.want {
				t.Errorf("%q, expected %q", got, tt.want)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestChoose(t *testing.T) {
	tests := []struct {
		name, names, want, err string
	}{
		{"all", "", "A A1 A10 B F1 F2 F3 C C16 P P16 D R T E1 E2", ""},
		{"in the order of the list", "E1,B", "B E1", ""},
		{"with what a goal compares with", "D", "A D", ""},
		{"unknown", "A,F", "", `there is no workload "F"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, err := choose(workloads(scaled(1)), tt.names)
			var names []string
			for _, w := range list {
				names = append(names, w.name)
			}
			if got := strings.Join(names, " "); got != tt.want || message(err) != tt.err {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"unknown flag", []string{"--fast"}, "flag provided but not defined: -fast"},
		{"argument", []string{"A"}, `unexpected argument "A"`},
		{"no size", []string{"--scale", "0"}, "scale and rounds must be positive"},
		{"unknown workload", []string{"--workload", "Z"}, `there is no workload "Z"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, err := bench(t.Context(), tt.args, io.Discard, io.Discard)
			if code != 2 || message(err) != tt.want {
				t.Errorf("exit %d, %v, expected %q", code, err, tt.want)
			}
		})
	}
}

func TestMet(t *testing.T) {
	rep := report{Results: []result{{Goals: []goalMark{{Met: true}, {Met: false}}}}}
	if rep.met() {
		t.Error("a missed goal was not noticed")
	}
	rep.Results[0].Goals[1].Met = true
	if !rep.met() {
		t.Error("all goals were met")
	}
}

// TestFailingExtractor wants its exit code and its last words.
func TestFailingExtractor(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	script := filepath.Join(t.TempDir(), "extractor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho 'no such luck' >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := measure(t.Context(), script, "version")
	if err != nil || l.Exit != 3 || l.Stderr != "no such luck\n" {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := measure(t.Context(), script+"-missing"); err == nil {
		t.Error("a missing program was started")
	}
}
