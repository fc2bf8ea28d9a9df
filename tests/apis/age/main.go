// Command age lists the pages of docs/apis that have to be read again, because a source is
// older than a year or the version of the API ends within 90 days.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/keboola/configurable-extractor/pkg/gallery"
	"github.com/keboola/configurable-extractor/tests/apis/facts"
)

const (
	oldest  = 365 * 24 * time.Hour
	warning = 90 * 24 * time.Hour
)

func main() {
	if err := list(os.Stdout, filepath.Join("docs", "apis"), time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// list writes a line for each finding, in Markdown: nothing if there is nothing to do.
func list(out io.Writer, pages string, now time.Time) error {
	for _, api := range gallery.All() {
		found, err := ofAPI(api, filepath.Join(pages, api.Name+".md"), now)
		if err != nil {
			return err
		}
		for _, line := range found {
			if _, err := fmt.Fprintf(out, "- %s: %s\n", api.Name, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofAPI returns a text for each old source of a page, and for a version that ends soon.
func ofAPI(api gallery.API, path string, now time.Time) ([]string, error) {
	var found []string
	if api.VersionEnds != "" {
		ends, err := time.Parse(time.DateOnly, api.VersionEnds)
		if err != nil {
			return nil, fmt.Errorf("versionEnds of %s: %w", api.Name, err)
		}
		if ends.Sub(now) <= warning {
			found = append(found, fmt.Sprintf("version %s ends on %s", api.Version, api.VersionEnds))
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all, err := facts.Read(string(page))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, fact := range all {
		if !fact.Date.IsZero() && now.Sub(fact.Date) > oldest {
			found = append(found, fmt.Sprintf("the source of %q is of %s", fact.Name, fact.Date.Format(time.DateOnly)))
		}
	}
	return found, nil
}
