//go:build unix && !race

package diagnostic

import (
	"context"
	"io"
	"syscall"
	"testing"

	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// TestLargeDocuments: the work is linear in the size of a document. It is measured as CPU
// time, which other processes do not affect: for eight times the size linear work takes
// eight times as long, quadratic work 64 times.
func TestLargeDocuments(t *testing.T) {
	slowtest.OutsideCI(t, "it takes the time of large documents")
	const size, times = 100_000, 8
	small, larger := large(size), large(times*size)
	spent := func(text string) time.Duration {
		before := cpuTime(t)
		r := Check(context.Background(), "config.json", []byte(text), load.Options{})
		if err := WriteText(io.Discard, []*Report{r}, false); r.Failed() || err != nil {
			t.Fatal(r.Findings, err)
		}
		return cpuTime(t) - before
	}
	for name, text := range small {
		spent(text) // once without measuring, for what is initialised once
		one, many := spent(text), spent(larger[name])
		if many > 3*times*one {
			t.Errorf("%s: %v for %d bytes, %v for %d times as many", name, one, size, many, times)
		}
	}
}

// cpuTime is the time that the process has used so far.
func cpuTime(t *testing.T) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
