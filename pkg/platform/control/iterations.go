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

type iterations struct {
	document value.Value
	items    []value.Value
}

// iterationsOf requires at least one iteration.
func iterationsOf(document value.Value) (iterations, error) {
	list := settingsOf(document, &failure.Problems{}).Get("iterations")
	if list.Value.Kind() != value.Array || list.Value.Len() == 0 {
		return iterations{}, failure.Userf("the configuration has no list of iterations to split: run it without --split").At(list.Pointer)
	}
	return iterations{document: document, items: list.Value.Items()}, nil
}

// settingsOf is the part of a document with `api`, `config` and `iterations`: its
// "parameters" if they are not empty, else all of it.
func settingsOf(document value.Value, problems *failure.Problems) config.Section {
	all := field.NewSection(document, "", problems)
	if wrapper := all.Get("parameters"); wrapper.Present() {
		return wrapper
	}
	return all
}

// only is the document with the iterations of one group only.
func (it iterations) only(g group) value.Value {
	settings := settingsOf(it.document, &failure.Problems{})
	reduced := settings.Value.With("iterations", value.OfItems(it.items[g.from:g.to]...))
	if settings.Pointer == "" {
		return reduced
	}
	return it.document.With("parameters", reduced)
}

// group is consecutive iterations or windows, from the index from up to, but not
// including, to.
type group struct {
	noun     string
	from, to int
}

// What a configuration can be split by.
const (
	byIteration = "iteration"
	byWindow    = "window"
)

// String counts from 1.
func (g group) String() string {
	if g.to == g.from+1 {
		return fmt.Sprintf("%s %d", g.noun, g.to)
	}
	return fmt.Sprintf("%ss %d-%d", g.noun, g.from+1, g.to)
}

// groupsOf splits so many iterations or windows into at most so many groups of about the
// same size.
func groupsOf(noun string, count, most int) []group {
	n := min(most, count)
	all := make([]group, n)
	for i := range all {
		all[i] = group{noun, i * count / n, (i + 1) * count / n}
	}
	return all
}

// maxUnasked is how many jobs a split creates unless it names a number: they wait
// in a shared queue, and a list of iterations may grow unnoticed.
const maxUnasked = 100

// countable refuses a job for each iteration or window if there are very many.
func (s splitting) countable(count int, pointer string) error {
	if s.most < math.MaxInt || count <= maxUnasked {
		return nil
	}
	return failure.Userf("the configuration has %d %ss, and more than %d jobs are not started by default: set their number with --split %ss=N", count, s.noun, maxUnasked, s.noun).At(pointer)
}

// splitting is how a configuration is to be split.
type splitting struct {
	noun string // iteration or window
	most int    // jobs
}

// splittingOf reads "iterations" or "windows", which is not a limit, or "iterations=N" or
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
