package app

import (
	"errors"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/report"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// openReport starts collecting data for the report, if Options.Report is set.
func (r *run) openReport() error {
	if r.Report == "" {
		return nil
	}
	if err := checkReport(r); err != nil {
		return err
	}
	if err := report.Prepare(r.Report); err != nil {
		return err
	}
	r.report = report.New(r.Now(), r.Secrets.Mask)
	r.Log.Trace(r.report.Event)
	return nil
}

// writeReport writes the report of a run. err is the error of the run, nil after a success.
func (r *run) writeReport(err error) error {
	if r.report == nil {
		return err
	}
	reason := ""
	if err != nil {
		reason = oneLine(r.Secrets, err)
	}
	writing := advised(r.report.Write(r.Report, r.Now(), reason))
	r.written.report = writing == nil
	return errors.Join(err, writing)
}

// describe sets the name of the configuration in the report, and the base URLs of its
// iterations when they are known.
func (r *run) describe(iterations ...config.Iteration) {
	if r.report == nil {
		return
	}
	name := r.source.file
	if id := r.Getenv("KBC_CONFIGID"); OnPlatform(r.Getenv) && id != "" {
		name = r.Getenv("KBC_COMPONENTID") + " " + id
	}
	var apis []string
	for _, it := range iterations {
		r.Secrets.AddAddress(it.BaseURL.String()) // as the run does later
		apis = append(apis, r.Secrets.RedactAddress(it.BaseURL, secret.Sensitive{}).Whole)
	}
	r.report.Describe(strings.TrimSpace(name), apis...)
}
