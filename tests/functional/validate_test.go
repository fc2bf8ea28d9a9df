package functional

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// validated looks at a configuration as `extractor validate` does.
func validated(text []byte, flags []string, env map[string]string, strict bool) *diagnostic.Report {
	o := load.Options{Strict: strict, Now: func() time.Time { return defaultStart }, Getenv: func(name string) string { return env[name] }}
	o.Variables.Flags = assignments(flags)
	return diagnostic.Check(context.Background(), "config.json", text, o)
}

// assignments are the values of flags.
func assignments(flags []string) (all []variables.Assignment) {
	for _, flag := range flags {
		name, text, _ := strings.Cut(flag, "=")
		all = append(all, variables.Assignment{Name: name, Text: text})
	}
	return all
}

// TestValidateAcceptsWhatRuns: a configuration that runs has warnings at most,
// and one that fails for another reason than itself, too.
func TestValidateAcceptsWhatRuns(t *testing.T) {
	slowtest.Skip(t, "it goes through all cases again")
	warnings := map[string]int{}
	for _, name := range caseNames(t) {
		c := caseOf(t, name)
		text := c.config(t)
		if text == nil {
			continue // a case about a missing configuration
		}
		refused := c.Exit != 0 && (strings.HasPrefix(name, "variables-") || slices.ContainsFunc(c.Stderr, func(s string) bool { return strings.Contains(s, "/") }))
		for _, f := range validated(text, c.Variables, c.Env, c.Strict).Findings {
			if f.Severity == diagnostic.Warning {
				warnings[string(f.Code)]++
				t.Logf("%s: %s %s %s", name, f.Code, f.Pointer, f.Message)
			} else if !refused {
				t.Errorf("%s: %s at %q: %s", name, f.Code, f.Pointer, f.Message)
			}
		}
	}
	t.Logf("warnings: %v", warnings)
}

// TestValidateRefusesWhatIsBroken: every broken configuration has an error with
// a code that is explained, and no output shows a secret.
func TestValidateRefusesWhatIsBroken(t *testing.T) {
	eachBroken(t, func(t *testing.T, b brokenConfig) {
		if slices.ContainsFunc(b.Variables, func(flag string) bool { return !strings.Contains(flag, "=") }) {
			return // it is the flag that is broken, which the command reports
		}
		for _, text := range []string{b.Text, strings.Join(strings.Fields(b.Text), " ")} {
			b.checkFindings(t, validated([]byte(text), b.Variables, nil, b.Strict))
		}
	})
}

func (b brokenConfig) checkFindings(t *testing.T, r *diagnostic.Report) {
	t.Helper()
	if !r.Failed() {
		t.Errorf("no error among %v", r.Findings)
	}
	pointers := []string{}
	for _, f := range r.Findings {
		pointers = append(pointers, f.Pointer)
		if _, ok := diagnostic.Lookup(string(f.Code)); !ok || f.Line < 1 || f.Column < 1 || f.Message == "" {
			t.Errorf("not complete: %+v", f)
		}
	}
	if want, _, _ := strings.Cut(b.Stderr[0], ":"); strings.HasPrefix(want, "/") && !slices.ContainsFunc(pointers, func(p string) bool { return strings.HasPrefix(want+":", p) || strings.HasPrefix(p, want) }) {
		t.Errorf("nothing at %s, but at %q", want, pointers)
	}
	reports := []*diagnostic.Report{r}
	var out bytes.Buffer
	for _, err := range []error{diagnostic.WriteText(&out, reports, true), diagnostic.WriteJSON(&out, reports), diagnostic.WriteSARIF(&out, reports, "1")} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, secret := range b.Conceals {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q is shown:\n%s", secret, out.String())
		}
	}
}

// TestValidateConformance: the configurations of the original's public cases
// have no errors.
func TestValidateConformance(t *testing.T) {
	for _, dir := range conformanceCases(t) {
		name := filepath.Base(dir)
		text, err := os.ReadFile(filepath.Join(dir, "config.json"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, f := range validated(text, nil, nil, false).Findings {
			if f.Severity == diagnostic.Error {
				t.Errorf("%s: %s at %q: %s", name, f.Code, f.Pointer, f.Message)
			} else {
				t.Logf("%s: %s %s %s", name, f.Code, f.Pointer, f.Message)
			}
		}
	}
}
