package architecture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
)

const (
	picture = root + "/docs/images/packages.svg"
	page    = root + "/docs/understand/architecture.md"
)

// arrows is the diagram as text, in the page.
var arrows = regexp.MustCompile(`(?s)(<!-- imports -->\n).*(<!-- end -->\n)`)

// TestDiagram compares the diagram of packages and its text with the imports.
func TestDiagram(t *testing.T) {
	imports := readImports(t).without(usedByAll)
	for _, b := range boxes {
		if imports[b.name] == nil {
			t.Errorf("there is no package %s", b.name)
		}
	}
	d := diagram{imports.reduced(t), imports.heights(t)}
	golden.File(t, picture, d.svg())

	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !arrows.Match(text) {
		t.Fatalf("%s has no place for the imports", page)
	}
	golden.File(t, page, arrows.ReplaceAllString(string(text), "${1}"+d.text()+"${2}"))
}

// diagram has the arrows of the diagram, and the rows of its boxes, counted from the
// bottom.
type diagram struct {
	arrows graph
	rows   map[string]int
}

// downwards are all boxes with arrows, from top to bottom.
func (d diagram) downwards() []box {
	sorted := slices.DeleteFunc(slices.Clone(boxes), func(b box) bool { return len(d.arrows[b.name]) == 0 })
	slices.SortStableFunc(sorted, func(a, b box) int { return cmp.Compare(d.rows[b.name], d.rows[a.name]) })
	return sorted
}

func (d diagram) text() string {
	var b strings.Builder
	b.WriteString("```text\n")
	for _, from := range d.downwards() {
		fmt.Fprintf(&b, "%-15s -> %s\n", from.name, strings.Join(slices.Sorted(maps.Keys(d.arrows[from.name])), ", "))
	}
	b.WriteString("```\n")
	return b.String()
}

// Sizes in the picture.
const (
	columnWidth = 132
	rowHeight   = 54
	boxWidth    = 116
	boxHeight   = 28
	margin      = 20
	legend      = 40 // height of the legend at the top
)

// x is the middle of a column, y that of a row.
func x(column float64) float64 { return margin + boxWidth/2 + column*columnWidth }
func (d diagram) y(row int) float64 {
	return legend + margin + boxHeight/2 + float64(d.top()-row)*rowHeight
}

func lastColumn() float64 {
	return slices.MaxFunc(boxes, func(a, b box) int { return cmp.Compare(a.column, b.column) }).column
}

func (d diagram) top() int { return slices.Max(slices.Collect(maps.Values(d.rows))) }

const style = `<style>
text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; text-anchor: middle; dominant-baseline: central }
text.left { text-anchor: start }
rect { stroke-width: 1; rx: 6px }
path { fill: none; stroke: #656d76; stroke-width: 1.3 }
marker path { fill: #656d76; stroke: none }
.program { fill: #f6f8fa; stroke: #656d76 }
.run { fill: #ddf4ff; stroke: #54aeff }
.language { fill: #dafbe1; stroke: #4ac26b }
.authors { fill: #fff8c5; stroke: #d4a72c }
.platform { fill: #fbefff; stroke: #c297ff }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
path { stroke: #9198a1 }
marker path { fill: #9198a1 }
.program { fill: #212830; stroke: #9198a1 }
.run { fill: #0c2d6b; stroke: #388bfd }
.language { fill: #033a16; stroke: #2ea043 }
.authors { fill: #4b2900; stroke: #bb8009 }
.platform { fill: #3c1e70; stroke: #a371f7 }
}
</style>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z"/></marker></defs>
`

func (d diagram) svg() string {
	var b strings.Builder
	width, height := x(lastColumn()+0.5)+margin, d.y(0)+boxHeight/2+margin+30
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-labelledby="title">
<title id="title">The packages and their imports, as layers: every arrow points downwards</title>
<!-- Made by TestDiagram in tests/architecture. -->
`, width, height, width, height)
	b.WriteString(style)
	at := float64(margin)
	for _, w := range wings {
		fmt.Fprintf(&b, `<rect class="%s" x="%g" y="%d" width="14" height="14"/><text class="left" x="%g" y="%d">%s</text>`+"\n", w.class, at, margin-7, at+20, margin, w.title)
		at += 50 + 7*float64(len(w.title))
	}
	used := map[lane]int{}
	for _, from := range d.downwards() {
		for _, to := range d.sideways(from) {
			fmt.Fprintf(&b, `<path d="%s" marker-end="url(#arrow)"/>`+"\n", d.line(from, to, used))
		}
	}
	for _, box := range boxes {
		fmt.Fprintf(&b, `<rect class="%s" x="%g" y="%g" width="%d" height="%d"/><text x="%g" y="%g">%s</text>`+"\n",
			box.wing, x(box.column)-boxWidth/2, d.y(d.rows[box.name])-boxHeight/2, boxWidth, boxHeight, x(box.column), d.y(d.rows[box.name]), box.name)
	}
	fmt.Fprintf(&b, `<text class="left" x="%d" y="%g">Used by all: %s</text>`+"\n</svg>\n", margin, height-margin, strings.Join(usedByAll, ", "))
	return b.String()
}

// sideways are the boxes that one imports, from left to right.
func (d diagram) sideways(from box) (tos []box) {
	for _, b := range boxes {
		if d.arrows[from.name][b.name] {
			tos = append(tos, b)
		}
	}
	slices.SortStableFunc(tos, func(a, b box) int { return cmp.Compare(a.column, b.column) })
	return tos
}

// lane is a part of a vertical line: at a column, beside a row.
type lane struct {
	column float64
	row    int
}

// line is the path of an arrow: it changes its column only between two rows, and goes
// down past the rows between in a column without boxes and other lines.
func (d diagram) line(from, to box, used map[lane]int) string {
	high, low := d.rows[from.name], d.rows[to.name]
	best, least := 0.0, math.Inf(1)
	for column := -0.5; column <= lastColumn()+0.5; column += 0.125 {
		cost := math.Abs(column-from.column)/2 + math.Abs(column-to.column)
		for row := low + 1; row < high; row++ {
			for _, b := range boxes {
				if distance := math.Abs(b.column - column); d.rows[b.name] == row && distance < 0.5 {
					cost += 100
				}
			}
			cost += 50 * float64(used[lane{column, row}])
		}
		if cost < least {
			best, least = column, cost
		}
	}
	for row := low + 1; row < high; row++ {
		for near := -1; near <= 1; near++ {
			used[lane{best + 0.125*float64(near), row}]++
		}
	}
	at := func(column float64, y float64) string { return fmt.Sprintf("%g,%g", x(column), y) }
	curve := func(a, b float64, y1, y2 float64) string {
		middle := (y1 + y2) / 2
		return " C" + at(a, middle) + " " + at(b, middle) + " " + at(b, y2)
	}
	start, end := d.y(high)+boxHeight/2, d.y(low)-boxHeight/2
	path := "M" + at(from.column, start)
	if high-low == 1 {
		return path + curve(from.column, to.column, start, end)
	}
	below, above := d.y(high-1)-boxHeight/2, d.y(low+1)+boxHeight/2
	return path + curve(from.column, best, start, below) + " L" + at(best, above) + curve(best, to.column, above, end)
}
