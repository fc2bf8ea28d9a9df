package app

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
)

// openReport starts collecting for the report, if there is one.
func (o *Options) openReport() error {
	if o.Report == "" {
		return nil
	}
	if err := checkReport(o); err != nil {
		return err
	}
	if err := report.Prepare(o.Report); err != nil {
		return err
	}
	o.report = report.New(o.Now(), o.Secrets.Redact)
	o.Log.Trace(o.report.Event)
	return nil
}

// writeReport writes the report of a run with this error, nil for success.
func (o *Options) writeReport(err error) error {
	if o.report == nil {
		return err
	}
	reason := ""
	if err != nil {
		reason = oneLine(o.Secrets, err)
	}
	writing := advised(o.report.Write(o.Report, o.Now(), reason))
	o.written.report = writing == nil
	return errors.Join(err, writing)
}
