package main

import (
	"os/exec"
	"runtime"
	"testing"
)

// TestPeakIsNotThatOfTheParent starts a small process from this one, which is
// large: directly, to see that the kernel still counts the parent's memory, and
// through a launcher.
func TestPeakIsNotThatOfTheParent(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	const large, page = 256 << 20, 4 << 10
	ballast := make([]byte, large)
	for i := 0; i < large; i += page {
		ballast[i] = 1
	}
	direct := exec.Command("true")
	if err := direct.Run(); err != nil {
		t.Fatal(err)
	}
	l, err := measure(t.Context(), "true")
	if err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(ballast)
	if peak := peakMemory(direct.ProcessState); peak < large {
		t.Logf("this kernel does not count the parent: %d bytes", peak)
	}
	if u := l.Usage; u.Peak <= 0 || u.Peak >= large/2 || u.Least <= 0 || u.Least >= large/2 {
		t.Errorf("peak %d bytes, launcher %d", u.Peak, u.Least)
	}
}
