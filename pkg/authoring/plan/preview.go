// Package plan shows the requests of a configuration without sending them: the first
// request of every job byte by byte, the sources of its parts, the pagination, and the
// calls of child jobs. The output is text, JSON, or curl commands.
//
// The engine and the HTTP client of a run build the requests; only the network is
// replaced (engine.Program.Preview). Values that only a run will know have a name in
// braces: the response of a login, the rows of a parent, variables from the platform. No
// secret is shown.
package plan

import (
	"context"
	"io"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Options are the inputs of the requests besides the configuration.
type Options struct {
	// Options are the options of package load. Of sets Secrets, Offline and StandIn.
	load.Options
	// State is the state of the previous run, or null. If LoginsOnly is true, only the
	// part of logins is used, see env.Run.
	State      value.Value
	LoginsOnly bool
	// Version is the version of the program, for the User-Agent.
	Version string
	// Token is an additional secret, or "".
	Token string
	// Rand is the source of nonces. If nil, it is crypto/rand.
	Rand io.Reader
}

// Preview holds the planned requests of a configuration, with secrets masked.
type Preview struct {
	planned    []*request // requests of jobs, in the order of a run
	variables  []string   // names of variables without a value
	iterations int
}

// Of plans the requests of a configuration. If a request cannot be built, Of returns the
// masked error of the run and a preview with the requests before it, or nil if there are
// none. Problems of the configuration are returned as failure.Problems.
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
			m.addUnprotected(doc.Resolved, w.Pointer)
		}
	}
	p := &Preview{variables: doc.StandIns, iterations: len(doc.Config.Iterations)}
	if doc.Config.Action == "validate" {
		return p, nil // the action validate sends no requests
	}
	var planned []engine.PlannedRequest
	err = failure.Recover(func() (err error) {
		planned, err = doc.Program.Preview(ctx, o.env(m.secrets), m.standIn)
		return err
	})
	if doc.Config.Action != "run" && len(planned) > 1 {
		planned = planned[:1] // the action testRequest sends one request
	}
	for _, d := range planned {
		p.planned = append(p.planned, m.request(d))
	}
	if err == nil {
		return p, nil
	}
	if len(planned) == 0 {
		p = nil
	}
	return p, &failure.Error{Kind: failure.KindOf(err), Message: m.text(err.Error())}
}

// env returns the environment of the dry run, which has no network.
func (o Options) env(secrets *secret.Registry) *env.Run {
	return &env.Run{
		State: o.State, LoginsOnly: o.LoginsOnly,
		TypesEnforced: o.Getenv != nil && o.Getenv("KBC_DATA_TYPE_SUPPORT") == "authoritative",
		Log:           event.NewLog(event.Discard{}, secrets, o.Now),
		Secrets:       secrets,
		Now:           o.Now,
		Sleep:         func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Getenv:        func(string) string { return "" },
		Rand:          o.Rand,
		UserAgent:     "configurable-extractor/" + o.Version,
	}
}
