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

// group is consecutive iterations, from the index from up to, but not including,
// to.
type group struct{ from, to int }

// String counts from 1.
func (g group) String() string {
	if g.to == g.from+1 {
		return fmt.Sprintf("iteration %d", g.to)
	}
	return fmt.Sprintf("iterations %d-%d", g.from+1, g.to)
}

// maxUnasked is how many jobs a split creates unless it names a number: they wait
// in a shared queue, and a list of iterations may grow unnoticed.
const maxUnasked = 100

// countable refuses a job for each iteration if there are very many.
func (it iterations) countable(split string) error {
	if strings.Contains(split, "=") || len(it.items) <= maxUnasked {
		return nil
	}
	return failure.Userf("the configuration has %d iterations, and more than %d jobs are started only when asked for: say how many with --split iterations=N", len(it.items), maxUnasked).
		At(settingsOf(it.document, &failure.Problems{}).Get("iterations").Pointer)
}

// groups splits the iterations into at most so many groups of about the same size.
func (it iterations) groups(most int) []group {
	n := min(most, len(it.items))
	all := make([]group, n)
	for i := range all {
		all[i] = group{i * len(it.items) / n, (i + 1) * len(it.items) / n}
	}
	return all
}

// mostGroups reads "iterations", which is no limit, or "iterations=N".
func mostGroups(split string) (int, error) {
	what, number, given := strings.Cut(split, "=")
	if what == "iterations" && !given {
		return math.MaxInt, nil
	}
	n, err := strconv.Atoi(number)
	if what != "iterations" || err != nil || n < 1 {
		return 0, failure.Userf("--split expects iterations, or iterations=N with a number of groups from 1")
	}
	return n, nil
}
