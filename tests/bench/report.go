package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// report is everything that is printed.
type report struct {
	Machine machine  `json:"machine"`
	Scale   float64  `json:"scale"`
	Results []result `json:"results"`
	Notes   []string `json:"notes,omitempty"`
}

// met reports whether every goal was reached.
func (r report) met() bool {
	for _, res := range r.Results {
		for _, g := range res.Goals {
			if !g.Met {
				return false
			}
		}
	}
	return true
}

func (r report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// writeTable prints a line for each workload, one more for every further goal,
// and what the names mean.
func (r report) writeTable(w io.Writer) error {
	lines := [][]string{{"", "rounds", "wall", "floor", "×", "CPU", "floor", "×", "RSS", "floor", "×", "goal", "is", "met"}}
	for _, res := range r.Results {
		cells := []string{
			res.Name, fmt.Sprint(res.Rounds),
			duration(res.Extractor.Wall), duration(res.Floor.Wall), times(res.Ratio.Wall),
			duration(res.Extractor.CPU), duration(res.Floor.CPU), times(res.Ratio.CPU),
			memory(res.Extractor), memory(res.Floor), times(res.Ratio.Peak),
		}
		for _, g := range res.Goals {
			mark := "NO"
			if g.Met {
				mark = "yes"
			}
			lines = append(lines, append(cells, g.Goal, g.Is, mark))
			cells = make([]string, len(cells))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", r.Machine, align(lines))
	for _, res := range r.Results {
		fmt.Fprintf(&b, "%-4s %s\n", res.Name, res.Title)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// align sets columns: the first and those of the goals to the left, numbers to
// the right.
func align(lines [][]string) string {
	const goalColumn = 11
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		var row strings.Builder
		for i, cell := range line {
			if i > 0 {
				row.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 || i >= goalColumn {
				row.WriteString(cell + pad)
			} else {
				row.WriteString(pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}

func times(f float64) string { return fmt.Sprintf("%.2f", f) }

// duration has three significant digits, in seconds or milliseconds.
func duration(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	default:
		return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
	}
}

// memory is a peak in MB; one that cannot be distinguished from that of the launcher is
// only known not to be larger.
func memory(u usage) string {
	switch {
	case u.Peak == 0:
		return "?"
	case u.Peak <= u.Least:
		return fmt.Sprintf("≤%.1f MB", float64(u.Peak)/megabyte)
	default:
		return fmt.Sprintf("%.1f MB", float64(u.Peak)/megabyte)
	}
}
