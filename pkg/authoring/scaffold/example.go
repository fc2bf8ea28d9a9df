package scaffold

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/authoring/infer"
	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Options are the options of Example. One of URL, Curl and HAR is given.
type Options struct {
	// URL is an address to request, Curl a curl command to send, HAR the name of an
	// HTTP archive with request and response.
	URL, Curl, HAR string
	// API is the API of the gallery whose configuration is written, with the
	// credentials of the example if there is one. "" guesses from the example.
	API string
	// URLContains selects exchanges of the archive.
	URLContains string
	// Choice has the responses to questions that are not asked then.
	Choice infer.Choice
	// Out is the new file; "" prints the configuration with its secrets hidden.
	Out string
	// Ask asks questions on Stderr and reads responses from Stdin. Without it the guesses
	// are used.
	Ask bool
	// ReadSecret shows a question and reads a response that is not shown; nil reads it from
	// Stdin.
	ReadSecret     func(question string) (string, error)
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// Version of the program, for the User-Agent.
	Version string
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error) // nil: real connections
}

// Example guesses a configuration from the example, asks if there is a choice, writes
// it and explains each guess. The explanation goes to Stdout, or to Stderr if the
// configuration goes to Stdout.
func Example(ctx context.Context, o Options) error {
	b := &exampleInit{Options: o, secrets: &secret.Registry{}, questions: questions{in: o.Stdin, out: o.Stderr}}
	if err := b.run(ctx); err != nil {
		return b.masked(err)
	}
	return nil
}

// exampleInit is one run of Example.
type exampleInit struct {
	Options
	secrets   *secret.Registry
	questions questions
}

func (b *exampleInit) run(ctx context.Context) error {
	if b.Out != "" { // before anything is sent
		if _, err := os.Lstat(b.Out); err == nil {
			return taken(b.Out)
		}
	}
	x, err := b.example()
	if err != nil {
		return err
	}
	known, chosen, err := b.fromGallery(x.Request)
	if err != nil {
		return err
	}
	if chosen {
		return b.writeKnown(known, x.Request)
	}
	if b.HAR == "" {
		options := example.Options{UserAgent: "configurable-extractor/" + b.Version, Dial: b.Dial}
		if x, err = example.Fetch(ctx, x.Request, options); err != nil {
			return err
		}
	}
	p, err := b.propose(x)
	if err != nil {
		return err
	}
	return b.write(p.Config, b.explanation(x, p, b.tried(ctx, x, p.Config))+known.hint())
}

// write writes the configuration and its explanation.
func (b *exampleInit) write(config []byte, explanation string) error {
	explanation = textfmt.PrintableLines(explanation)
	if b.Out == "" {
		if _, err := io.WriteString(b.Stdout, b.secrets.Mask(withoutShortSecrets(config))); err != nil {
			return err
		}
		_, err := io.WriteString(b.Stderr, explanation)
		return err
	}
	if err := create(b.Out, config); err != nil {
		return err
	}
	_, err := io.WriteString(b.Stdout, explanation)
	return err
}

// withoutShortSecrets masks secrets that are too short for a Registry to find.
func withoutShortSecrets(config []byte) string {
	shown := string(config)
	places := source.New(config)
	for _, s := range slices.Backward(places.Scalars()) {
		name := s.Pointer[strings.LastIndexByte(s.Pointer, '/')+1:]
		if text, err := value.Parse(config[s.Start:s.End]); err == nil && strings.HasPrefix(name, "#") && secret.TooShort(text.Raw()) {
			shown = shown[:s.Start] + strconv.Quote(secret.Hidden) + shown[s.End:]
		}
	}
	return shown
}

// masked masks the credentials in an error.
func (b *exampleInit) masked(err error) error {
	text := b.secrets.Mask(err.Error())
	if text == err.Error() {
		return err
	}
	return &failure.Error{Kind: failure.KindOf(err), Message: text}
}

// example reads the example. Only that of an archive has a response. Without an example
// it is empty.
func (b *exampleInit) example() (example.Exchange, error) {
	var r example.Request
	var err error
	switch {
	case b.HAR != "":
		return b.fromHAR()
	case b.Curl != "":
		r, err = example.FromCurl(b.Curl, b.Getenv)
	case b.URL != "":
		r, err = example.FromURL(b.URL)
	}
	if err != nil {
		return example.Exchange{}, err
	}
	b.conceal(r)
	return example.Exchange{Request: r}, nil
}

func (b *exampleInit) conceal(r example.Request) {
	for _, secret := range infer.Secrets(r) {
		b.secrets.Add(secret)
	}
}

// Candidate is an exchange of an archive from which a configuration can be made.
type Candidate struct {
	Exchange example.Exchange
	// Items is how many items it has.
	Items int
}

// most is how many exchanges of an archive are offered.
const most = 9

// Candidates returns the exchanges of an HTTP archive with the most items, of those that are
// wanted and have the text in their address. An archive without any is a user error.
func Candidates(archive io.Reader, contains string, wanted func(example.Request) bool) ([]Candidate, error) {
	var all []Candidate
	var refused error // of the first exchange that has an error
	err := example.EachInHAR(archive, func(x example.Exchange) error {
		if !strings.Contains(x.URL, contains) || !wanted(x.Request) {
			return nil
		}
		p, err := infer.Infer(x, infer.Choice{})
		if err != nil { // cannot be an example
			if refused == nil {
				refused = &failure.Error{Kind: failure.User, Message: masked(x.Request).Mask(Asked(x) + ": " + err.Error())}
			}
			return nil
		}
		all = append(all, Candidate{x, p.Items})
		slices.SortStableFunc(all, func(a, b Candidate) int { return b.Items - a.Items })
		all = all[:min(len(all), most)]
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		restriction := ""
		if contains != "" {
			restriction = fmt.Sprintf(", with an address that contains '%s'", contains)
		}
		text := "the archive has no exchange to learn from: expected a request that returned JSON, JSON lines, CSV or XML" + restriction
		if refused != nil {
			text += "; " + refused.Error()
		}
		return nil, failure.Userf("%s", text)
	}
	return all, nil
}

// masked knows the credentials of a request.
func masked(r example.Request) *secret.Registry {
	known := &secret.Registry{}
	for _, text := range infer.Secrets(r) {
		known.Add(text)
	}
	return known
}

// fromHAR returns the exchange with the most items, or asks.
func (b *exampleInit) fromHAR() (example.Exchange, error) {
	file, err := os.Open(b.HAR)
	if err != nil {
		return example.Exchange{}, failure.Userf("cannot read the HTTP archive: %w", err)
	}
	defer file.Close()
	all, err := Candidates(file, b.URLContains, b.mayBe)
	if err != nil {
		return example.Exchange{}, err
	}
	for _, c := range all {
		b.conceal(c.Exchange.Request)
	}
	at := 0
	if b.Ask {
		options := make([]infer.Option, len(all))
		for i, c := range all {
			options[i] = infer.Option{Name: b.secrets.Mask(Asked(c.Exchange)), Evidence: textfmt.Count(c.Items, "item")}
		}
		if at, err = b.questions.ask("Which request is the example?", options); err != nil {
			return example.Exchange{}, err
		}
	}
	return all[at].Exchange, nil
}

// Asked returns method and address of an exchange, without the query.
func Asked(x example.Exchange) string {
	u, err := url.Parse(x.URL)
	if err != nil {
		return x.Method
	}
	return x.Method + " " + u.Scheme + "://" + u.Host + u.EscapedPath()
}

// propose makes the proposal. It asks about what Choice does not decide.
func (b *exampleInit) propose(x example.Exchange) (*infer.Result, error) {
	p, err := infer.Infer(x, b.Choice)
	if err != nil || !b.Ask {
		return p, err
	}
	for _, q := range []struct {
		text    string
		choice  *string
		options func() []infer.Option
	}{
		{"Where is the data?", &b.Choice.DataField, func() []infer.Option { return p.DataFields }},
		{"How does the API page?", &b.Choice.Paging, func() []infer.Option { return p.Pagings }},
		{"What is the primary key?", &b.Choice.PrimaryKey, func() []infer.Option { return p.PrimaryKeys }},
	} {
		options := q.options()
		if *q.choice != "" || len(options) < 2 {
			continue
		}
		for i := range options {
			options[i].Evidence = b.secrets.Mask(options[i].Evidence)
		}
		at, err := b.questions.ask(q.text, options)
		if err != nil {
			return nil, err
		}
		if at == 0 {
			continue // keep the guess with its evidence
		}
		*q.choice = options[at].Name
		if p, err = infer.Infer(x, b.Choice); err != nil {
			return nil, err
		}
	}
	return p, nil
}
