package main

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	t.Parallel()
	built := func(module string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: module}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "c42e79e1"}
	for name, test := range map[string]struct {
		linked string
		info   *debug.BuildInfo
		want   string
	}{
		"the linker's version wins":          {"1.2.3", built("v1.0.0", commit), "1.2.3"},
		"a released module":                  {"dev", built("v1.0.0"), "1.0.0"},
		"a pseudo version":                   {"dev", built("v0.0.0-20261122153400-c42e79e1a1b2"), "0.0.0-20261122153400-c42e79e1a1b2"},
		"a module's version before a commit": {"dev", built("v1.0.0", commit), "1.0.0"},
		"a commit":                           {"dev", built("(devel)", commit), "c42e79e1"},
		"a commit with changes":              {"dev", built("", commit, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), "c42e79e1+dirty"},
		"a commit without changes":           {"dev", built("", commit, debug.BuildSetting{Key: "vcs.modified", Value: "false"}), "c42e79e1"},
		"no version and no repository":       {"dev", built("(devel)"), "dev"},
		"no build information":               {"dev", nil, "dev"},
	} {
		if got := versionOf(test.linked, test.info); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
