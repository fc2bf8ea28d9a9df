// Package infer guesses a configuration from one request and its response: where
// the data is, how the next page is requested, which parts are credentials.
//
// It is a pure function, and promises that what it proposes has no error that
// `extractor validate` would find. Every guess comes with its place, its
// evidence and how sure it is; what could not be guessed, or has to be left out,
// is a note. It sends nothing and asks no one (package begin).
package infer

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Confidence is how sure a guess is.
type Confidence string

// The degrees: the exchange says so; it looks like other APIs that do so; it is
// one possibility among several.
const (
	Sure   Confidence = "sure"
	Likely Confidence = "likely"
	Unsure Confidence = "a guess"
)

// Inference is one decision of the proposal.
type Inference struct {
	// Subject is what was decided, in a word or two.
	Subject string
	// Pointer is the JSON pointer of the setting in the configuration, and
	// Value its JSON text.
	Pointer, Value string
	// Evidence is what of the exchange speaks for it.
	Evidence   string
	Confidence Confidence
}

// Option is one of several possibilities. Name is what Choice takes.
type Option struct {
	Name, Evidence string
}

// Choice is what somebody has decided. An empty field leaves it to the guess.
type Choice struct {
	// DataField is where the data is, as in the name of one of
	// Proposal.DataFields.
	DataField string
	// Paging is one of Proposal.Pagings.
	Paging string
	// PrimaryKey is one of Proposal.PrimaryKeys.
	PrimaryKey string
}

// toFront moves one of the options, the one that was taken, before the others.
func toFront(options []Option, at int) []Option {
	taken := options[at]
	return slices.Insert(slices.Delete(options, at, at+1), 0, taken)
}

// None is the name of the option to do without.
const None = "none"

// Result is a configuration and why it is what it is.
type Result struct {
	// Config is the document as JSON text, secrets included.
	Config  []byte
	Guesses []Inference
	// Notes are what a person should know or do besides.
	Notes []string
	// DataFields, Pagings and PrimaryKeys are what could be chosen, the one that
	// was taken first.
	DataFields, Pagings, PrimaryKeys []Option
	// Table is the name of the table, and Items how many items it would have of
	// the example.
	Table string
	Items int
}

// Infer makes a configuration that would send the request of the exchange.
// An exchange that it can make nothing of, or an impossible choice, is a user
// error. Errors contain the host of the request and errors of the API, which may repeat a
// credential: the caller masks them (Secrets).
func Infer(x example.Exchange, c Choice) (*Result, error) {
	d, err := newDraft(x)
	if err != nil {
		return nil, err
	}
	if said := d.refusal(); said != "" && c.DataField == "" {
		return nil, failure.Userf("%s returned status %d, but the response reports an error and has no data: %s; correct the request of the example", d.url.Host, x.Status, said)
	}
	d.tables()
	if err := d.chooseData(c.DataField); err != nil {
		return nil, err
	}
	d.written()
	d.hidePath()
	d.address()
	d.credentials()
	if err := d.choosePaging(c.Paging); err != nil {
		return nil, err
	}
	d.headers()
	d.nameTable()
	if err := d.chooseKey(c.PrimaryKey); err != nil {
		return nil, err
	}
	d.storeAsText()
	d.remarks()
	d.remarkErrors()
	return d.finish()
}

// configBuilder is a proposal in the making.
type configBuilder struct {
	Result
	x      example.Exchange
	url    *url.URL
	method string // as jobs name it: GET, FORM, POST, …
	params []value.Member
	parsedExample
	facts []scalarFact
	lists []list
	data  list // the chosen one

	baseURL, endpoint string
	hidden            []hiddenPart // credentials in the address
	pager             *pager
	auth              value.Value // api.authentication
	apiHeaders        []value.Member
	attributes        []value.Member // of config, secrets among them
	mapping           value.Value
	texts             []string // parts of the items that become JSON text
	bucket            string
}

// newDraft reads the exchange.
func newDraft(x example.Exchange) (*configBuilder, error) {
	d := &configBuilder{x: x}
	u, err := url.Parse(x.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, failure.Userf("the address of the example is not valid: expected http://host/path or https://host/path")
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

func (d *configBuilder) guess(subject, pointer string, v value.Value, c Confidence, evidence string) {
	d.Guesses = append(d.Guesses, Inference{Subject: subject, Pointer: pointer, Value: clean(v).JSON(), Evidence: evidence, Confidence: c})
}

func (d *configBuilder) note(text string) { d.Notes = append(d.Notes, text) }

// finish writes the document and checks it.
func (d *configBuilder) finish() (*Result, error) {
	d.Items = len(d.data.items)
	d.Config = clean(d.document()).Pretty()
	for _, f := range diagnostic.Check(context.Background(), "config.json", d.Config, load.Options{}).Findings {
		if f.Severity == diagnostic.Error {
			// What was found is not shown: it may be a secret.
			return nil, failure.Userf("no configuration can be made of this example: %s", f.Expected).At(f.Pointer)
		}
		d.note(fmt.Sprintf("%s: %s (%s).", f.Pointer, f.Expected, f.Code))
	}
	return &d.Result, nil
}
