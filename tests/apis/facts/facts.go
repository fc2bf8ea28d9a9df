// Package facts reads the section Facts of the pages in docs/apis. The section lists what the
// configuration of an API depends on, with sources.
package facts

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Names are the facts of every page, in their order.
var Names = []string{
	"address", "version", "credential", "page size", "order", "incremental filter",
	"left out by the vendor", "rate limit", "errors",
}

// Fact is one row of the table.
type Fact struct {
	Name string
	// Value is the fact in Markdown.
	Value string
	// Source has links to the sources in Markdown, or "not verified: " and the reason.
	Source string
	// Date is the day of the last change of the source. If the source does not show it, Date
	// is the day when it was read. It is zero for a fact that is not verified.
	Date time.Time
}

const (
	head       = "| fact | value | source | date |\n|---|---|---|---|\n"
	unverified = "not verified: "
)

var (
	section = regexp.MustCompile(`(?ms)^## Facts\n(.*?)(?:^## |\z)`)
	link    = regexp.MustCompile(`\]\(https://[^) ]+\)`)
)

// Read returns the facts of a page. Errors name the row that is wrong.
func Read(page string) ([]Fact, error) {
	found := section.FindStringSubmatch(page)
	if found == nil {
		return nil, fmt.Errorf("there is no section Facts")
	}
	_, table, ok := strings.Cut(found[1], head)
	if !ok {
		return nil, fmt.Errorf("the section Facts has no table with fact, value, source and date")
	}
	var all []Fact
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		fact, err := row(line)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		all = append(all, fact)
	}
	for i, name := range Names {
		if i >= len(all) || all[i].Name != name {
			return nil, fmt.Errorf("fact %d is not %q; the first %d are %s", i+1, name, len(Names), strings.Join(Names, ", "))
		}
	}
	return all, nil
}

func row(line string) (Fact, error) {
	cells := strings.Split(strings.Trim(line, "| \n"), " | ")
	if len(cells) != 4 {
		return Fact{}, fmt.Errorf("the row has %d cells, not 4", len(cells))
	}
	f := Fact{Name: cells[0], Value: cells[1], Source: cells[2]}
	if f.Name == "" || f.Value == "" {
		return Fact{}, fmt.Errorf("the fact has no name or no value")
	}
	if why, ok := strings.CutPrefix(f.Source, unverified); ok {
		if why == "" || cells[3] != "–" {
			return Fact{}, fmt.Errorf("a fact that is not verified says why, and has the date –")
		}
		return f, nil
	}
	if !link.MatchString(f.Source) {
		return Fact{}, fmt.Errorf("the source is neither a link nor %q with a reason", unverified)
	}
	var err error
	if f.Date, err = time.Parse(time.DateOnly, cells[3]); err != nil {
		return Fact{}, fmt.Errorf("the date is not like 2026-11-23")
	}
	return f, nil
}
