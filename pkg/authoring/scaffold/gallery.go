package scaffold

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/authoring/infer"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/gallery"
)

// knownAPIs are the APIs of the gallery that match the example.
type knownAPIs []gallery.API

// hint explains how to get the configuration of the gallery instead of a guess.
func (known knownAPIs) hint() string {
	var text strings.Builder
	for _, api := range known {
		fmt.Fprintf(&text, "\nThere is a complete configuration for %s (%s). To write it with the credentials of your example, add --api %s.\n", api.Title, api.Summary, api.Name)
	}
	return text.String()
}

// fromGallery returns the APIs of the gallery for an example. If chosen is true, --api or
// the user selected the only API in known.
func (b *exampleInit) fromGallery(r example.Request) (known knownAPIs, chosen bool, err error) {
	if b.API != "" {
		api, err := gallery.Named(b.API)
		return knownAPIs{api}, err == nil, err
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, false, failure.Userf("cannot read the URL of the example: %w", err)
	}
	if known = gallery.ByHost(u.Hostname()); len(known) == 0 || !b.Ask {
		return known, false, nil
	}
	var options []infer.Option
	for _, api := range known {
		options = append(options, infer.Option{Name: api.Name, Evidence: "a complete configuration for " + api.Title + " with " + api.Summary})
	}
	options = append(options, infer.Option{Name: "example", Evidence: "a configuration guessed from the example"})
	at, err := b.questions.ask("Which configuration do you want?", options)
	if err != nil || at == len(known) {
		return nil, false, err
	}
	return known[at : at+1], true, nil
}

// mayBeExample reports whether a request can be an example for the API of --api.
func (b *exampleInit) mayBeExample(r example.Request) bool {
	if b.API == "" {
		return true
	}
	api, unknown := gallery.Named(b.API)
	u, err := url.Parse(r.URL)
	return unknown == nil && err == nil && api.Has(u.Hostname())
}

// writeKnown writes the configuration of the only API, with the credentials of the
// example.
func (b *exampleInit) writeKnown(known knownAPIs, r example.Request) error {
	api := known[0]
	text := api.Config
	var filled []string
	var err error
	if r.URL != "" {
		if text, filled, err = api.Fill(text, r.URL, r.Header); err != nil {
			return err
		}
	}
	explanation := fmt.Sprintf("The configuration for %s: %s.\n", api.Title, api.Summary)
	if len(filled) > 0 {
		explanation += "From your example: " + strings.Join(filled, ", ") + ".\n"
	}
	text, asked, err := b.complete(api, text)
	if err != nil {
		return err
	}
	explanation += asked
	explanation += fmt.Sprintf("docs/apis/%s.md describes what you need and which tables you get. The vendor's documentation is at %s\n", api.Name, api.Documentation)
	if b.Out != "" || len(filled) > 0 {
		explanation += b.next()
	}
	return b.write(text, explanation)
}
