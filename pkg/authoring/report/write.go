package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/prose"
)

// The files of a report.
const (
	JSONFile = "report.json"
	HTMLFile = "report.html"
)

// The parts of the page. The page is put together here and not by a template,
// since a template engine would make the program larger by a third.
var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/style.css
	pageStyle string
	//go:embed page/script.js
	pageScript string
)

// Prepare makes the directory of a report and sees that files can be made in it,
// so that a run does not learn that in its end.
func Prepare(dir string) error {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".report-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return failure.Userf("cannot write a report to '%s': %w", dir, err)
	}
	return nil
}

// Write writes report.json and report.html of a run that ended at a time, in a
// failure unless the reason is "". Each of them appears complete or not at all;
// those of an earlier run are replaced.
func (c *Collector) Write(dir string, ended time.Time, reason string) error {
	r := c.finished(ended, reason)
	var text bytes.Buffer
	err := prose.WriteJSON(&text, r)
	if err == nil {
		err = replace(filepath.Join(dir, JSONFile), text.Bytes())
	}
	if err == nil {
		err = replace(filepath.Join(dir, HTMLFile), page(text.Bytes()))
	}
	if err != nil {
		return failure.Applicationf("cannot write the report: %w", err)
	}
	return nil
}

// finished is the report of a run that has ended. The reason is that of its last
// event, unless it could not be reported any more.
func (c *Collector) finished(ended time.Time, reason string) *Report {
	r := &c.report
	if reason != "" {
		r.Status = Failed
		if r.Error == nil {
			r.Error = &Error{Message: reason, Kind: string(failure.Application)}
		}
	}
	r.Finished = stamp(ended)
	r.Seconds = milliseconds(ended.Sub(c.began).Seconds())
	for _, t := range r.Tables {
		c.shape(t)
	}
	r.Totals.round()
	for _, j := range r.Jobs {
		j.round()
	}
	return r
}

// round takes away what adding up has left behind the milliseconds.
func (t *Traffic) round() {
	t.Waited, t.Seconds = milliseconds(t.Waited), milliseconds(t.Seconds)
}

func milliseconds(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

// replace writes a file whole. Only its owner may read it: a report shows which
// requests a run sent.
func replace(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".report-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// page is the page that shows a report. Its policy allows the style and the
// script that are in it, by their hashes, and nothing else. In the report, which
// stands in it as JSON, <, > and & are escaped, so that nothing can end its
// element.
func page(report []byte) []byte {
	var data bytes.Buffer
	json.HTMLEscape(&data, report)
	return []byte(strings.NewReplacer(
		"{{style-hash}}", hash(pageStyle),
		"{{script-hash}}", hash(pageScript),
		"{{style}}", pageStyle,
		"{{script}}", pageScript,
		"{{report}}", data.String(),
	).Replace(pageHTML))
}

// hash is a text's hash as a content security policy wants it.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
