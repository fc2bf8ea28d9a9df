package webui

import "slices"

// change is one line of a comparison.
type change struct {
	// Kind is same, old, new or gap. A gap stands for Omitted equal lines.
	Kind string
	// Old and New are the line numbers in the two texts, or 0 if a text does not have the
	// line.
	Old, New int
	Text     string
	Omitted  int
}

const (
	// contextLines is the number of equal lines that are shown around a difference.
	contextLines = 3
	// maxEdits is the maximum number of differing lines that are compared in detail.
	// Beyond it, all lines between the first and the last difference are shown as
	// replaced.
	maxEdits = 1000
)

// compareLines returns the lines of two texts as equal, removed and added lines.
func compareLines(old, fresh []string) []change {
	before := 0
	for before < len(old) && before < len(fresh) && old[before] == fresh[before] {
		before++
	}
	after := 0
	for after < len(old)-before && after < len(fresh)-before && old[len(old)-1-after] == fresh[len(fresh)-1-after] {
		after++
	}
	w := writer{old: old, fresh: fresh}
	w.same(before)
	w.middle(old[before:len(old)-after], fresh[before:len(fresh)-after])
	w.same(after)
	return w.changes
}

// writer writes the lines of a comparison, from first to last.
type writer struct {
	old, fresh []string
	i, k       int // numbers of lines written so far
	changes    []change
}

func (w *writer) same(n int) {
	for range n {
		w.changes = append(w.changes, change{Kind: "same", Old: w.i + 1, New: w.k + 1, Text: w.old[w.i]})
		w.i++
		w.k++
	}
}

func (w *writer) removed() {
	w.changes = append(w.changes, change{Kind: "old", Old: w.i + 1, Text: w.old[w.i]})
	w.i++
}

func (w *writer) added() {
	w.changes = append(w.changes, change{Kind: "new", New: w.k + 1, Text: w.fresh[w.k]})
	w.k++
}

// middle writes the lines between the first and the last difference, with as few edits as
// possible (E. Myers, An O(ND) Difference Algorithm, 1986).
func (w *writer) middle(old, fresh []string) {
	trace, found := edits(old, fresh)
	if !found {
		for range old {
			w.removed()
		}
		for range fresh {
			w.added()
		}
		return
	}
	// The loop follows the trace backwards. Reversed, steps are the edits from the
	// beginning.
	var steps []byte
	x, y := len(old), len(fresh)
	for d := len(trace) - 1; d > 0; d-- {
		v, k := trace[d], x-y
		down := k == -d || k != d && at(v, k-1, d) < at(v, k+1, d)
		from := k - 1
		if down {
			from = k + 1
		}
		startX := at(v, from, d)
		startY := startX - from
		for x > startX && y > startY {
			steps = append(steps, '=')
			x--
			y--
		}
		if down {
			steps = append(steps, '+')
		} else {
			steps = append(steps, '-')
		}
		x, y = startX, startY
	}
	for ; x > 0; x-- {
		steps = append(steps, '=')
	}
	slices.Reverse(steps)
	for _, step := range steps {
		switch step {
		case '=':
			w.same(1)
		case '-':
			w.removed()
		default:
			w.added()
		}
	}
}

// at returns the farthest x of diagonal k before step d.
func at(v []int, k, d int) int {
	if i := k + d; i >= 0 && i < len(v) {
		return v[i]
	}
	return -1
}

// edits finds the shortest list of edits. It returns the farthest points of all diagonals
// before each step. found is false if there are more than maxEdits edits.
func edits(old, fresh []string) (trace [][]int, found bool) {
	n, m := len(old), len(fresh)
	limit := min(n+m, maxEdits)
	v := make([]int, 2*limit+3)
	for i := range v {
		v[i] = -1
	}
	middle := limit + 1
	v[middle+1] = 0
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(v[middle-d:middle+d+1]))
		for k := -d; k <= d; k += 2 {
			x := v[middle+k-1] + 1
			if k == -d || k != d && v[middle+k-1] < v[middle+k+1] {
				x = v[middle+k+1]
			}
			y := x - k
			for x < n && y < m && old[x] == fresh[y] {
				x++
				y++
			}
			v[middle+k] = x
			if x >= n && y >= m {
				return trace, true
			}
		}
	}
	return nil, false
}

// shorten replaces equal lines far from differences by gaps.
func shorten(all []change) []change {
	near := make([]bool, len(all))
	for i, c := range all {
		if c.Kind == "same" {
			continue
		}
		for k := max(0, i-contextLines); k < min(len(all), i+contextLines+1); k++ {
			near[k] = true
		}
	}
	var shown []change
	for i, c := range all {
		switch last := len(shown) - 1; {
		case near[i]:
			shown = append(shown, c)
		case last >= 0 && shown[last].Kind == "gap":
			shown[last].Omitted++
		default:
			shown = append(shown, change{Kind: "gap", Omitted: 1})
		}
	}
	return shown
}
