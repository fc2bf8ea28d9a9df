package app

import (
	"errors"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// openReport starts collecting data for the report, if Options.Report is set.
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
	o.report = report.New(o.Now(), o.Secrets.Mask)
	o.Log.Trace(o.report.Event)
	return nil
}

// writeReport writes the report of a run. err is the error of the run, nil after a success.
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

// describe sets the name of the configuration in the report, and the base URLs of its
// iterations when they are known.
func (o *Options) describe(iterations ...config.Iteration) {
	if o.report == nil {
		return
	}
	name := o.source.file
	if id := o.Getenv("KBC_CONFIGID"); OnPlatform(o.Getenv) && id != "" {
		name = o.Getenv("KBC_COMPONENTID") + " " + id
	}
	var apis []string
	for _, it := range iterations {
		o.Secrets.AddAddress(it.BaseURL.String()) // as the run does later
		apis = append(apis, o.Secrets.RedactAddress(it.BaseURL, secret.Sensitive{}).Whole)
	}
	o.report.Describe(strings.TrimSpace(name), apis...)
}
