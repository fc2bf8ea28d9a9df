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

// iterations are the iterations of a stored configuration.
type iterations struct {
	document value.Value
	items    []value.Value
}

// iterationsOf wants at least one.
func iterationsOf(document value.Value) (iterations, error) {
	list := settingsOf(document, &failure.Problems{}).Get("iterations")
	if list.Value.Kind() != value.Array || list.Value.Len() == 0 {
		return iterations{}, failure.Userf("the configuration has no list of iterations to split: run it without --split").At(list.Pointer)
	}
	return iterations{document: document, items: list.Value.Items()}, nil
}

// settingsOf is the part of a document that holds `api`, `config` and
// `iterations`: all of it, unless there is a wrapper with something in it.
func settingsOf(document value.Value, problems *failure.Problems) config.Section {
	all := field.NewSection(document, "", problems)
	if wrapper := all.Get("parameters"); wrapper.Present() {
		return wrapper
	}
	return all
}

// only is the document with the iterations of one group and no others.
func (it iterations) only(g group) value.Value {
	settings := settingsOf(it.document, &failure.Problems{})
	reduced := settings.Value.With("iterations", value.OfItems(it.items[g.from:g.to]...))
	if settings.Pointer == "" {
		return reduced
	}
	return it.document.With("parameters", reduced)
}

// group is iterations that follow one another: from is the index of the first,
// to the one behind the last.
type group struct{ from, to int }

// String counts from 1, as people do.
func (g group) String() string {
	if g.to == g.from+1 {
		return fmt.Sprintf("iteration %d", g.to)
	}
	return fmt.Sprintf("iterations %d-%d", g.from+1, g.to)
}

// unasked is how many jobs a split makes without being told a number: each of
// them waits in the queue of everybody, and a list of iterations grows unseen.
const unasked = 100

// countable refuses to make a job of each of very many iterations.
func (it iterations) countable(split string) error {
	if strings.Contains(split, "=") || len(it.items) <= unasked {
		return nil
	}
	return failure.Userf("the configuration has %d iterations, and more than %d jobs are started only when asked for: say how many with --split iterations=N", len(it.items), unasked).
		At(settingsOf(it.document, &failure.Problems{}).Get("iterations").Pointer)
}

// groups parts the iterations into at most so many groups, as equal as can be.
func (it iterations) groups(most int) []group {
	n := min(most, len(it.items))
	all := make([]group, n)
	for i := range all {
		all[i] = group{i * len(it.items) / n, (i + 1) * len(it.items) / n}
	}
	return all
}

// mostGroups reads "iterations", which is as many as there are, or
// "iterations=N".
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
