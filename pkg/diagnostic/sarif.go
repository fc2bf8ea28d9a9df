package diagnostic

import (
	"io"
	"net/url"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// The types of a SARIF 2.1.0 log, with the properties that WriteSARIF uses.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       map[string]sarifDriver `json:"tool"`
		ColumnKind string                 `json:"columnKind"`
		Results    []sarifResult          `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string            `json:"id"`
		ShortDescription map[string]string `json:"shortDescription"`
		FullDescription  map[string]string `json:"fullDescription"`
		Help             map[string]string `json:"help"`
	}
	sarifResult struct {
		RuleID    string            `json:"ruleId"`
		RuleIndex int               `json:"ruleIndex"`
		Level     severity          `json:"level"`
		Message   map[string]string `json:"message"`
		Locations []sarifLocation   `json:"locations"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical       `json:"physicalLocation"`
		LogicalLocations []map[string]string `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation map[string]string `json:"artifactLocation"`
		Region           sarifRegion       `json:"region"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

// WriteSARIF writes the findings of all reports as one SARIF 2.1.0 log. version is the
// version of the program.
func WriteSARIF(w io.Writer, reports []*Report, version string) error {
	driver := sarifDriver{Name: "configurable-extractor", Version: version, Rules: []sarifRule{}}
	results := []sarifResult{}
	rules := map[failure.Code]int{}
	for _, r := range reports {
		for _, f := range r.Findings {
			if _, ok := rules[f.Code]; !ok {
				rules[f.Code] = len(driver.Rules)
				driver.Rules = append(driver.Rules, ruleOf(f.Code))
			}
			text := f.Message
			if f.Hint != "" {
				text += "; " + f.Hint
			}
			results = append(results, sarifResult{RuleID: string(f.Code), RuleIndex: rules[f.Code], Level: f.Severity,
				Message: sarifText(text), Locations: []sarifLocation{r.location(f)}})
		}
	}
	return textfmt.WriteJSON(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{{Tool: map[string]sarifDriver{"driver": driver}, ColumnKind: "unicodeCodePoints", Results: results}},
	})
}

func sarifText(text string) map[string]string { return map[string]string{"text": text} }

func ruleOf(code failure.Code) sarifRule {
	e, _ := Lookup(string(code))
	return sarifRule{ID: string(code), ShortDescription: sarifText(e.Title), FullDescription: sarifText(e.Cause), Help: sarifText(e.Fix)}
}

func (r *Report) location(f Finding) sarifLocation {
	line, column := r.text.Position(f.span.End)
	if line == f.Line && column == f.Column {
		column++ // SARIF needs a range that is not empty
	}
	path := url.URL{Path: filepath.ToSlash(r.File)}
	l := sarifLocation{PhysicalLocation: sarifPhysical{
		ArtifactLocation: map[string]string{"uri": path.String()},
		Region:           sarifRegion{f.Line, f.Column, line, column},
	}}
	if f.Pointer != "" {
		l.LogicalLocations = []map[string]string{{"fullyQualifiedName": f.Pointer}}
	}
	return l
}
