// Package plan shows what a configuration would send, without sending it: the
// first request of every job to the last byte, where its parts come from, how
// paging continues and what the child jobs would be called with. It shows that to
// people, to programs as JSON, and as commands of curl.
//
// The requests are those of a run: they are made by the same engine and the same
// chain, of which only the network is replaced (engine.Plan.Preview). What only
// a run will know (the response of a login, the rows of a parent, variables that
// the platform brings) has a name in braces, and no secret is shown.
package plan

import (
	"context"
	"io"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Options are what the requests depend on besides the configuration.
type Options struct {
	// Options are those of the plan. Secrets, Offline and StandIn are set here.
	load.Options
	// State is that of the previous run, null for none, and LoginsOnly says how much of it
	// is used, see env.Run.
	State      value.Value
	LoginsOnly bool
	// Version of the program, for the User-Agent.
	Version string
	// Token is a secret besides those of the document, "" for none.
	Token string
	// Rand is the source of nonces; nil is the computer's.
	Rand io.Reader
}

// Preview is what a configuration would send.
type Preview struct {
	// Variables are the names of those that have no value here.
	Variables []string
	drafts    []engine.PlannedRequest
	words     engine.SourceFormatter
	mask      *mask
	// Iterations is how many the configuration has.
	Iterations int
}

// Of previews a configuration. When a request cannot be made the error is that of
// the run, masked, and the preview has what comes before it, nil for nothing.
// Problems of the configuration are failure.Problems.
func Of(ctx context.Context, text []byte, o Options) (*Preview, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	given, err := config.Parse(text)
	if err != nil {
		return nil, err
	}
	m := newMask(o.Token)
	o.Text, o.Secrets, o.Offline, o.StandIn = text, m.secrets, true, func(name string) string { return m.standIn("{" + name + "}") }
	doc, err := load.Load(ctx, given, o.Options)
	if err != nil {
		return nil, err
	}
	for _, secret := range doc.Variables.Secrets {
		m.add(secret)
	}
	m.addSecrets(doc.Resolved, o.State)
	if err := m.secrets.Problems(doc.Problems).Err(); err != nil {
		return nil, err
	}
	for _, w := range doc.Lint() {
		if w.Code == failure.PlainSecret {
			m.unprotected(doc.Resolved, w.Pointer)
		}
	}
	p := &Preview{words: engine.SourceFormatter{References: doc.Config.Vocabulary.All().References, Document: doc.Resolved}, Variables: doc.StandIns, mask: m, Iterations: len(doc.Config.Iterations)}
	if doc.Config.Action == "validate" {
		return p, nil // it sends nothing
	}
	err = failure.Recover(func() (err error) {
		p.drafts, err = doc.Plan.Preview(ctx, o.env(m.secrets), m.standIn)
		return err
	})
	if doc.Config.Action != "run" && len(p.drafts) > 1 {
		p.drafts = p.drafts[:1] // testRequest sends no more
	}
	if err == nil {
		return p, nil
	}
	if len(p.drafts) == 0 {
		p = nil
	}
	return p, &failure.Error{Kind: failure.KindOf(err), Message: m.text(err.Error())}
}

// env is the environment of the dry run: nothing of it reaches out.
func (o Options) env(secrets *secret.Registry) *env.Run {
	return &env.Run{
		State: o.State, LoginsOnly: o.LoginsOnly,
		Log:       event.NewLog(event.Discard{}, secrets, o.Now),
		Secrets:   secrets,
		Now:       o.Now,
		Sleep:     func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Getenv:    func(string) string { return "" },
		Rand:      o.Rand,
		UserAgent: "configurable-extractor/" + o.Version,
	}
}

// header is the text of a header of a request.
func (p *Preview) header(r *httpclient.Outgoing, h httpclient.Line) []piece {
	if h.Name == "Content-Length" && p.mask.anyStandIn.Find(string(r.Body)) != nil {
		return []piece{{shown: "{length of the body}", masked: true}}
	}
	return p.mask.header(h.Name, h.Text, r.Sensitive.Header(h.Name))
}

// address is the address of a request.
func (p *Preview) address(r *httpclient.Outgoing) []piece {
	return p.mask.pieces(r.URL, r.Sensitive.Query(r.URL)...)
}

// body is the body of a request.
func (p *Preview) body(r *httpclient.Outgoing) []piece {
	return p.mask.pieces(string(r.Body), r.Sensitive.Body()...)
}
