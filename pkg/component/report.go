package component

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/lint"
	"github.com/keboola/configurable-extractor/pkg/report"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// openReport is the collector of the report that the options ask for, nil when
// they do not. It listens to the log.
func openReport(o Options, secrets *event.Secrets, log *event.Log) (*report.Collector, error) {
	if o.Report == "" {
		return nil, nil
	}
	tables := filepath.Join(o.DataDir, "out", "tables")
	within, err := inside(tables, o.Report)
	if err != nil {
		return nil, failure.Applicationf("cannot tell where '%s' is: %w", o.Report, err)
	}
	if within {
		return nil, failure.Userf("--report expects a directory outside of %s, whose files are loaded as tables; found '%s'", tables, o.Report)
	}
	if err := report.Prepare(o.Report); err != nil {
		return nil, err
	}
	c := report.New(o.Now(), secrets.Redact)
	log.Trace(c.Event)
	return c, nil
}

// inside tells whether a path is a directory or below it.
func inside(dir, path string) (bool, error) {
	for _, p := range []*string{&dir, &path} {
		absolute, err := filepath.Abs(*p)
		if err != nil {
			return false, err
		}
		if *p, err = physical(absolute); err != nil {
			return false, err
		}
	}
	relative, err := filepath.Rel(dir, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator)), err
}

// physical is an absolute path without symbolic links, as far as it exists.
func physical(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if !os.IsNotExist(err) || filepath.Dir(path) == path {
		return resolved, err
	}
	parent, err := physical(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// reportChecks adds what `extractor validate` would warn of beyond the warnings
// of the run.
func reportChecks(o Options, doc value.Value, compiled *config.Document) {
	if o.report != nil {
		o.report.Check(lint.Check(lint.Document{Tree: doc, Compiled: compiled}))
	}
}

// reportTables looks at the tables of the run, while nobody changes them.
func reportTables(o Options, dir string) error {
	if o.report == nil {
		return nil
	}
	return o.report.Tables(dir)
}

// writeReport writes the report of a run that ended so, successful or not.
func writeReport(o Options, secrets *event.Secrets, err error) error {
	if o.report == nil {
		return err
	}
	reason := ""
	if err != nil {
		reason = oneLine(secrets, err)
	}
	return errors.Join(err, advised(o.report.Write(o.Report, o.Now(), reason)))
}
