// Package infer derives a configuration from one request and its response. It finds the
// data, the pagination and the credentials.
//
// Infer has no side effects: it sends no requests and asks no questions (package scaffold
// does). A configuration that it returns has no error that `extractor validate` finds.
// Each guess has the JSON pointer of its setting, its evidence and a confidence. Notes
// name what Infer could not guess or had to leave out.
package infer

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// confidence is the certainty of a guess.
type confidence string

// The confidences: the exchange itself shows it; other APIs with the same signs work so;
// there are other possibilities.
const (
	sure   confidence = "sure"
	likely confidence = "likely"
	unsure confidence = "a guess"
)

// Inference is one guess.
type Inference struct {
	// Subject names the guess in a word or two.
	Subject string
	// Pointer is the JSON pointer of the setting in the configuration. Value is the JSON
	// text of the setting.
	Pointer, Value string
	// Evidence names the parts of the exchange that support the guess.
	Evidence   string
	Confidence confidence
}

// Option is one possibility of a choice. Name is a value for Choice.
type Option struct {
	Name, Evidence string
}

// Choice holds decisions of the user. Infer guesses empty fields.
type Choice struct {
	// DataField is the name of an option of Result.DataFields.
	DataField string
	// Paging is the name of an option of Result.Pagings.
	Paging string
	// PrimaryKey is the name of an option of Result.PrimaryKeys.
	PrimaryKey string
}

func toFront(options []Option, at int) []Option {
	taken := options[at]
	return slices.Insert(slices.Delete(options, at, at+1), 0, taken)
}

// None is the name of the option to have no pagination or no primary key.
const None = "none"

// Result is an inferred configuration with its guesses.
type Result struct {
	// Config is the JSON text of the configuration, secrets included.
	Config  []byte
	Guesses []Inference
	// Notes are texts for the user about the limits of the configuration.
	Notes []string
	// DataFields, Pagings and PrimaryKeys are the possible choices. The option in use is
	// first.
	DataFields, Pagings, PrimaryKeys []Option
	// Table is the name of the table. Items is the number of items in the example.
	Table string
	Items int
}

// Infer derives a configuration that sends the request of the exchange. It returns a user
// error if the exchange is unusable or a choice is impossible. Errors contain the host of
// the request and error texts of the API, which may repeat a credential: the caller masks
// the texts that Secrets returns.
func Infer(x example.Exchange, c Choice) (*Result, error) {
	d, err := newConfigBuilder(x)
	if err != nil {
		return nil, err
	}
	if said := d.refusal(); said != "" && c.DataField == "" {
		return nil, failure.Userf("%s returned status %d, but the response reports an error and has no data: %s; correct the request of the example", d.url.Host, x.Status, said)
	}
	d.findTables()
	if err := d.chooseData(c.DataField); err != nil {
		return nil, err
	}
	d.guessFormat()
	d.hidePath()
	d.splitAddress()
	d.addCredentials()
	if err := d.choosePaging(c.Paging); err != nil {
		return nil, err
	}
	d.addHeaders()
	d.nameTable()
	if err := d.chooseKey(c.PrimaryKey); err != nil {
		return nil, err
	}
	d.storeAsText()
	d.addRemarks()
	d.remarkErrors()
	return d.finish()
}

// configBuilder collects the guesses and the parts of the configuration.
type configBuilder struct {
	Result
	x      example.Exchange
	url    *url.URL
	method string // method as in the setting of a job: GET, FORM, POST, …
	params []value.Member
	parsedExample
	facts []scalarFact
	lists []list
	data  list // the chosen list

	baseURL, endpoint string
	hidden            []hiddenPart // credentials in the URL
	pager             *pager
	auth              value.Value // value of api.authentication
	apiHeaders        []value.Member
	attributes        []value.Member // attributes of `config`, secrets included
	mapping           value.Value
	texts             []string // paths of the items that become JSON text
	bucket            string
}

// newConfigBuilder reads the exchange.
func newConfigBuilder(x example.Exchange) (*configBuilder, error) {
	d := &configBuilder{x: x}
	u, err := url.Parse(x.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, failure.Userf("the URL of the example is not valid: expected http://host/path or https://host/path")
	}
	d.url = u
	if d.parsedExample, err = read(x, u); err != nil {
		return nil, err
	}
	if err := d.readRequest(); err != nil {
		return nil, err
	}
	d.facts, d.lists = survey(d.root, d.format == xmlFormat)
	return d, nil
}

func contentType(x example.Exchange) string {
	if t := x.ResponseHeader.Get("Content-Type"); t != "" {
		return "Content-Type " + t
	}
	return "no Content-Type"
}

func (d *configBuilder) guess(subject, pointer string, v value.Value, c confidence, evidence string) {
	d.Guesses = append(d.Guesses, Inference{Subject: subject, Pointer: pointer, Value: clean(v).JSON(), Evidence: evidence, Confidence: c})
}

func (d *configBuilder) note(text string) { d.Notes = append(d.Notes, text) }

// finish builds the configuration and validates it. Warnings become notes; an error is a
// user error.
func (d *configBuilder) finish() (*Result, error) {
	d.Items = len(d.data.items)
	d.Config = clean(d.buildDocument()).Pretty()
	for _, f := range diagnostic.Check(context.Background(), "config.json", d.Config, load.Options{}).Findings {
		if f.Severity == diagnostic.Error {
			// The text that was found is not shown, because it may be a secret.
			return nil, failure.Userf("cannot make a configuration from this example: %s", f.Expected).At(f.Pointer)
		}
		d.note(fmt.Sprintf("%s: %s (%s).", f.Pointer, f.Expected, f.Code))
	}
	return &d.Result, nil
}
