package control

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// settingsOf returns the section of a document with `api`, `config` and `iterations`:
// "parameters" if present and not empty, otherwise the whole document.
func settingsOf(document value.Value, problems *failure.Problems) config.Section {
	all := field.NewSection(document, "", problems)
	if wrapper := all.Get("parameters"); wrapper.Present() {
		return wrapper
	}
	return all
}

// group is a range of consecutive iterations or windows. The index from is included, to is
// excluded.
type group struct {
	noun     string
	from, to int
}

// Values of group.noun: a configuration is split by iterations or by windows.
const (
	byIteration = "iteration"
	byWindow    = "window"
)

// String returns the group with numbers that count from 1, for example "iterations 1-3".
func (g group) String() string {
	if g.to == g.from+1 {
		return fmt.Sprintf("%s %d", g.noun, g.to)
	}
	return fmt.Sprintf("%ss %d-%d", g.noun, g.from+1, g.to)
}

// groupsOf splits count iterations or windows into at most most groups of nearly equal
// size.
func groupsOf(noun string, count, most int) []group {
	n := min(most, count)
	all := make([]group, n)
	for i := range all {
		all[i] = group{noun, i * count / n, (i + 1) * count / n}
	}
	return all
}

// maxDefaultJobs is the maximum number of jobs of a split that does not set the number. The
// jobs wait in a shared queue, and a list of iterations may grow unnoticed.
const maxDefaultJobs = 100

// checkCount refuses a split with one job for each iteration or window if there are too
// many.
func (s splitting) checkCount(count int, pointer string) error {
	if s.most < math.MaxInt || count <= maxDefaultJobs {
		return nil
	}
	return failure.Userf("the configuration has %d %ss, and more than %d jobs are not started by default: set their number with --split %ss=N", count, s.noun, maxDefaultJobs, s.noun).At(pointer)
}

// splitting is the parsed value of --split.
type splitting struct {
	noun string // byIteration or byWindow
	most int    // maximum number of jobs
}

// splittingOf parses "iterations" or "windows", which set no limit, and "iterations=N" or
// "windows=N".
func splittingOf(text string) (splitting, error) {
	what, number, given := strings.Cut(text, "=")
	noun, plural := strings.CutSuffix(what, "s")
	known := plural && (noun == byIteration || noun == byWindow)
	if known && !given {
		return splitting{noun, math.MaxInt}, nil
	}
	n, err := strconv.Atoi(number)
	if !known || err != nil || n < 1 {
		return splitting{}, failure.Userf("--split expects iterations or windows, or iterations=N or windows=N with a number of groups from 1")
	}
	return splitting{noun, n}, nil
}
