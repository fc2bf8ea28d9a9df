package main

import (
	"runtime/debug"
	"testing"
)

func TestModuleVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		"go install":        {"v1.2.3", nil, "1.2.3"},
		"of a commit":       {"v1.2.4-0.20261122120000-0123456789ab", nil, "1.2.4-0.20261122120000-0123456789ab"},
		"a clone":           {"v1.2.3", []debug.BuildSetting{{Key: "vcs.revision", Value: "0123"}}, "dev"},
		"without a version": {"(devel)", nil, "dev"},
		"a test":            {"", nil, "dev"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := moduleVersion(&debug.BuildInfo{Main: debug.Module{Version: tc.version}, Settings: tc.settings}); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
