// Package app is the contract with the platform: the environment it
// gives, the exit codes it reads, and one run from the first file read to the
// last file renamed.
//
// A run reads the document, replaces its variables, compiles it, extracts, and
// commits; each step is another room's work. What was going on is told by
// events; how it ended also by the exit code and, after a failure, by one line
// on stderr.
package app

import (
	"context"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
)

// Options say what to run and with what. The zero value of every field but
// Stdout and Stderr has a sensible meaning.
type Options struct {
	// DataDir is the data directory; "" takes KBC_DATADIR, else /data.
	DataDir string
	// Variables are "name=value" each; given ones win over all other sources.
	Variables []string
	// LogFormat is "auto" (readable lines on a terminal, else JSON), "json" or
	// "console"; "" is auto.
	LogFormat string
	// Strict makes unknown keys of the configuration errors.
	Strict bool
	// Record is the file in which every exchange is kept, "" for none, and
	// RecordMaxBody how many bytes of an answer's body at most; 0 is all.
	Record        string
	RecordMaxBody int64
	// Replay is the recording that answers in the place of the network, "" for
	// none. The clock is that of the recording and no sleep waits.
	Replay string
	// Report is the directory of the report about the run, "" for none.
	Report string
	// MaxRequests, MaxTime and MaxBytes end the run when so many requests have
	// been sent, so much time has passed, so many bytes of bodies (decompressed)
	// have come; 0 is no limit. Requests are sent one after another then.
	MaxRequests int
	MaxTime     time.Duration
	MaxBytes    int64
	// Sample is how many items every run of a job takes at most; 0 is all.
	Sample int
	// DenyPrivateNetworks refuses every host that is not on the public internet;
	// EXTRACTOR_DENY_PRIVATE_NETWORKS asks for the same.
	DenyPrivateNetworks bool
	// Version of the program, for the User-Agent and the first event.
	Version        string
	Stdout, Stderr io.Writer
	Rand           io.Reader                                                         // nil: the system's random source
	Getenv         func(string) string                                               // nil: os.Getenv
	Now            func() time.Time                                                  // nil: time.Now
	Sleep          func(context.Context, time.Duration) error                        // nil: real waiting
	Dial           func(ctx context.Context, network, addr string) (net.Conn, error) // nil: real connections
	Lookup         func(ctx context.Context, host string) ([]netip.Addr, error)      // nil: the system's resolver
	// After calls a function after a while and returns what prevents that; nil
	// is time.AfterFunc.
	After func(time.Duration, func()) (stop func() bool)

	report *report.Collector // nil for none
}

func (o *Options) fill() {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = Sleep
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if o.DataDir == "" {
		o.DataDir = o.Getenv("KBC_DATADIR")
	}
	if o.DataDir == "" {
		o.DataDir = "/data"
	}
	if o.Version == "" {
		o.Version = "dev"
	}
}

// Sleep waits, or returns the error of the context when it ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
