package component

import (
	"context"
	"net"
	"os"

	"golang.org/x/term"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// openSink is where the events go: to the platform's GELF server when the
// environment names one, else to stdout. The stdout of an action belongs to its
// answer.
func openSink(ctx context.Context, o Options, action bool) (event.Sink, error) {
	address, port := o.Getenv("KBC_LOGGER_ADDR"), o.Getenv("KBC_LOGGER_PORT")
	if address != "" && port != "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, failure.Applicationf("cannot tell the host name: %w", err)
		}
		sink, err := event.DialGELF(ctx, (&net.Dialer{}).DialContext, net.JoinHostPort(address, port), host)
		if err != nil {
			return nil, failure.Applicationf("cannot reach the log server of KBC_LOGGER_ADDR and KBC_LOGGER_PORT: %w", err)
		}
		return sink, nil
	}
	if action {
		return silence{}, nil
	}
	file, isFile := o.Stdout.(*os.File)
	terminal := isFile && term.IsTerminal(int(file.Fd()))
	switch o.LogFormat {
	case "", "auto":
		if terminal {
			return event.NewConsole(o.Stdout, o.Getenv("NO_COLOR") == ""), nil
		}
		return event.NewJSON(o.Stdout), nil
	case "json":
		return event.NewJSON(o.Stdout), nil
	case "console":
		return event.NewConsole(o.Stdout, terminal && o.Getenv("NO_COLOR") == ""), nil
	default:
		return nil, failure.Userf("--log-format expects auto, json or console, found '%s'", o.LogFormat)
	}
}

// silence is a sink that drops everything.
type silence struct{}

func (silence) Write(event.Event) error { return nil }

func (silence) Close() error { return nil }
