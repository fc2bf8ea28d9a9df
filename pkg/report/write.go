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
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// The files of a report.
const (
	JSONFile = "report.json"
	HTMLFile = "report.html"
)

// The parts of the HTML page. There is no template, because html/template would make the
// program a third larger.
var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/style.css
	pageStyle string
	//go:embed page/script.js
	pageScript string
)

// Prepare creates the directory of a report and checks, before the run, that it is
// writable.
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

// Write writes report.json and report.html after a run. reason is the error of the run,
// or "". Each file is replaced atomically.
func (c *Collector) Write(dir string, ended time.Time, reason string) error {
	r := c.finish(ended, reason)
	var text bytes.Buffer
	err := textfmt.WriteJSON(&text, r)
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

// finish completes the report. It uses reason only if no event has the error.
func (c *Collector) finish(ended time.Time, reason string) *Report {
	r := &c.report
	if reason != "" {
		r.Status = Failed
		if r.Error == nil {
			r.Error = &runError{Message: reason, Kind: string(failure.Application)}
		}
	}
	r.Finished = stamp(ended)
	r.Seconds = milliseconds(ended.Sub(c.began).Seconds())
	for _, t := range r.Tables {
		c.setShapes(t)
	}
	r.Totals.round()
	for _, j := range r.Jobs {
		j.round()
	}
	return r
}

// round removes rounding errors of the sums.
func (t *traffic) round() {
	t.Waited, t.Seconds = milliseconds(t.Waited), milliseconds(t.Seconds)
}

func milliseconds(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

// replace writes a file atomically. Only the owner may read the file, because a report
// shows the requests of a run.
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

// page returns the HTML page with a report. Its content security policy allows only its
// own style and script, by hash. In the embedded JSON, <, > and & are escaped so that no
// text can end the element.
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

// hash returns the source expression of a text for a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
