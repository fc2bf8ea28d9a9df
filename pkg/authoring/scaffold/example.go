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

// Options are the options of Example. At most one of URL, Curl and HAR is set.
type Options struct {
	// URL is a URL to request. Curl is a curl command to send. HAR is the name of an HTTP
	// archive with request and response.
	URL, Curl, HAR string
	// API is the name of an API of the gallery. Example then writes the configuration of
	// this API, with the credentials of the example if there is one. If API is "",
	// Example infers a configuration from the example.
	API string
	// URLContains limits the exchanges of the archive to URLs with this text.
	URLContains string
	// Choice holds decisions of the user. Example does not ask about them.
	Choice infer.Choice
	// Out is the name of the new file. If Out is "", the configuration is printed with
	// its secrets hidden.
	Out string
	// Ask enables questions on Stderr, with input from Stdin. Otherwise the guesses are
	// used.
	Ask bool
	// ReadSecret shows a question and reads input without an echo. If nil, secrets are
	// read from Stdin.
	ReadSecret     func(question string) (string, error)
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// Version is the version of the program, for the User-Agent.
	Version string
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error) // nil uses the network
}

// Example infers a configuration from the example, asks the user about alternatives,
// writes the configuration and explains each guess. The explanation goes to Stdout, or to
// Stderr if the configuration goes to Stdout.
func Example(ctx context.Context, o Options) error {
	b := &exampleInit{Options: o, secrets: &secret.Registry{}, questions: questions{in: o.Stdin, out: o.Stderr}}
	err := b.run(ctx)
	if err == nil || b.secrets.Mask(err.Error()) == err.Error() {
		return err
	}
	return &failure.Error{Kind: failure.KindOf(err), Message: b.secrets.Mask(err.Error())}
}

type exampleInit struct {
	Options
	secrets   *secret.Registry
	questions questions
}

func (b *exampleInit) run(ctx context.Context) error {
	if b.Out != "" { // checked before any request is sent
		if _, err := os.Lstat(b.Out); err == nil {
			return existsError(b.Out)
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
	p, err := b.infer(x)
	if err != nil {
		return err
	}
	return b.write(p.Config, b.explanation(x, p, b.rehearsalReport(ctx, x, p.Config))+known.hint())
}

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

// example reads the example. The exchange has a response only if it is from an archive.
// It is zero if there is no example.
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
	register(b.secrets, r)
	return example.Exchange{Request: r}, nil
}

func register(known *secret.Registry, r example.Request) {
	for _, text := range infer.Secrets(r) {
		known.Add(text)
	}
}

// Candidate is an exchange of an archive from which Infer can derive a configuration.
type Candidate struct {
	Exchange example.Exchange
	Items    int // number of items in the response
}

// maxCandidates is the maximum number of candidates of an archive.
const maxCandidates = 9

// Candidates returns the exchanges of an HTTP archive with the most items, at most nine.
// It considers requests with a URL that contains the text and for which wanted returns
// true. An archive without such an exchange is a user error.
func Candidates(archive io.Reader, contains string, wanted func(example.Request) bool) ([]Candidate, error) {
	var all []Candidate
	var refused error // error of the first exchange that is not a candidate
	err := example.EachInHAR(archive, func(x example.Exchange) error {
		if !strings.Contains(x.URL, contains) || !wanted(x.Request) {
			return nil
		}
		p, err := infer.Infer(x, infer.Choice{})
		if err != nil { // the exchange cannot be an example
			if refused == nil {
				known := &secret.Registry{}
				register(known, x.Request)
				refused = &failure.Error{Kind: failure.User, Message: known.Mask(Asked(x) + ": " + err.Error())}
			}
			return nil
		}
		all = append(all, Candidate{x, p.Items})
		slices.SortStableFunc(all, func(a, b Candidate) int { return b.Items - a.Items })
		all = all[:min(len(all), maxCandidates)]
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		restriction := ""
		if contains != "" {
			restriction = fmt.Sprintf(", with a URL that contains '%s'", contains)
		}
		text := "the archive has no usable exchange: expected a request that returned JSON, JSON lines, CSV or XML" + restriction
		if refused != nil {
			text += "; " + refused.Error()
		}
		return nil, failure.Userf("%s", text)
	}
	return all, nil
}

// fromHAR returns the exchange of the archive with the most items, or the exchange that
// the user selects.
func (b *exampleInit) fromHAR() (example.Exchange, error) {
	file, err := os.Open(b.HAR)
	if err != nil {
		return example.Exchange{}, failure.Userf("cannot read the HTTP archive: %w", err)
	}
	defer file.Close()
	all, err := Candidates(file, b.URLContains, b.mayBeExample)
	if err != nil {
		return example.Exchange{}, err
	}
	for _, c := range all {
		register(b.secrets, c.Exchange.Request)
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

// Asked returns the method and the URL of an exchange, without the query.
func Asked(x example.Exchange) string {
	u, err := url.Parse(x.URL)
	if err != nil {
		return x.Method
	}
	return x.Method + " " + u.Scheme + "://" + u.Host + u.EscapedPath()
}

// infer infers the configuration. It asks the user about everything that Choice leaves
// open.
func (b *exampleInit) infer(x example.Exchange) (*infer.Result, error) {
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
		{"How does the API paginate?", &b.Choice.Paging, func() []infer.Option { return p.Pagings }},
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
			continue // the guess keeps its evidence
		}
		*q.choice = options[at].Name
		if p, err = infer.Infer(x, b.Choice); err != nil {
			return nil, err
		}
	}
	return p, nil
}
