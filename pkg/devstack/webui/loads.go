package webui

import (
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// loads holds the last loads of a table, newest first.
type loads []tableLoad

type tableLoad struct {
	job  string
	rows int
}

// loadsOf returns the last loads of a table.
func (s *site) loadsOf(table string) (found loads, err error) {
	seen := 0
	err = s.Store.Jobs(func(j store.Job) bool {
		if j.Result != nil {
			for _, l := range j.Result.Loaded {
				if l.Table == table {
					found = append(found, tableLoad{j.ID, l.Rows})
				}
			}
		}
		seen++
		return seen < searchedJobs && len(found) < shownRuns
	})
	return found, err
}

// Measures of the chart, in pixels.
const loadStep, loadBar, loadHeight = 12, 9, 44.0

// loadShape is the bar of one load.
type loadShape struct {
	X         int
	Y, Height string
	Job, Rows string
}

// Many reports whether there is something to compare.
func (l loads) Many() bool { return len(l) > 1 }

func (l loads) Width() int     { return loadStep*len(l) - (loadStep - loadBar) }
func (l loads) Height() string { return pixels(loadHeight) }

func (l loads) Bars() []loadShape {
	most := 1
	for _, load := range l {
		most = max(most, load.rows)
	}
	var bars []loadShape
	for i, load := range slices.Backward(l) {
		height := max(1, loadHeight*float64(load.rows)/float64(most))
		bars = append(bars, loadShape{X: loadStep * (len(l) - 1 - i), Y: pixels(loadHeight - height), Height: pixels(height), Job: load.job, Rows: count(load.rows, "row")})
	}
	return bars
}

// Summary describes the chart in words.
func (l loads) Summary() string {
	if len(l) == 0 {
		return ""
	}
	newest := l[0].rows
	text := fmt.Sprintf("Rows after the last %s: now %s", count(len(l), "load"), number(newest))
	if len(l) > 1 {
		switch change := newest - l[1].rows; {
		case change == 0:
			text += ", as many as before"
		case change < 0:
			text += ", " + number(-change) + " fewer than before"
		default:
			text += ", " + number(change) + " more than before"
		}
	}
	return text
}
