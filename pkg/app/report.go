package app

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// openReport is the collector of the report that the options ask for, nil when
// they do not. It listens to the log.
func openReport(o Options, secrets *secret.Registry, log *event.Log) (*report.Collector, error) {
	if o.Report == "" {
		return nil, nil
	}
	if err := checkReport(o); err != nil {
		return nil, err
	}
	if err := report.Prepare(o.Report); err != nil {
		return nil, err
	}
	c := report.New(o.Now(), secrets.Redact)
	log.Trace(c.Event)
	return c, nil
}

// reportTables looks at the tables of the run, while nobody changes them.
func reportTables(o Options, dir string) error {
	if o.report == nil {
		return nil
	}
	return o.report.Tables(dir)
}

// writeReport writes the report of a run that ended so, successful or not.
func writeReport(o Options, secrets *secret.Registry, err error) error {
	if o.report == nil {
		return err
	}
	reason := ""
	if err != nil {
		reason = oneLine(secrets, err)
	}
	return errors.Join(err, advised(o.report.Write(o.Report, o.Now(), reason)))
}
