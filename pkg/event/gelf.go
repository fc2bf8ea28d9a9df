package event

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// gelfLimit is the maximum size of a message, in bytes. The platform fails a job that sends
// a larger message.
const gelfLimit = 200_000

// gelfTimeout is the time that a message may wait for a server that does not read. Losing
// events is better than waiting until the platform kills the job.
const gelfTimeout = 30 * time.Second

// gelf sends each event as a GELF 1.1 message over TCP, terminated by a zero byte.
//
// All messages of a run use one connection, because the platform's server has one receive
// buffer for all connections. For the same reason gelf does not reconnect after a
// connection was lost within a message: every later Write returns the same error.
type gelf struct {
	conn    net.Conn
	host    string
	timeout time.Duration
	err     error // error of the write that lost the connection
}

// DialGELF returns a sink for the server at address (host:port). ctx applies to connecting
// only. dial is like net.Dialer.DialContext. host is the host name of this container: the
// platform drops messages with any other host.
func DialGELF(ctx context.Context, dial func(ctx context.Context, network, address string) (net.Conn, error), address, host string) (Sink, error) {
	conn, err := dial(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the log server %s: %w", address, err)
	}
	return &gelf{conn: conn, host: host, timeout: gelfTimeout}, nil
}

func (g *gelf) Write(e Event) error {
	if g.err != nil {
		return g.err
	}
	// A deadline needs the system clock, not the clock of the events.
	err := g.conn.SetWriteDeadline(time.Now().Add(g.timeout))
	if err == nil {
		err = writeWhole(g.conn, fit(e, gelfLimit, g.encode))
	}
	if err != nil {
		g.err = fmt.Errorf("lost the connection to the log server: %w", err)
	}
	return g.err
}

func (g *gelf) Close() error {
	if err := g.conn.Close(); err != nil {
		return fmt.Errorf("cannot close the connection to the log server: %w", err)
	}
	return nil
}

func (g *gelf) encode(e Event) []byte {
	text := e.Message
	if text == "" {
		text = e.Kind // the server drops messages without text
	}
	var b bytes.Buffer
	logger := zerolog.New(&b)
	line := logger.Log().
		Str("version", "1.1").
		Str("host", g.host).
		Str("short_message", text).
		Float64("timestamp", float64(e.Time.UnixMilli())/1000).
		Int("level", syslogLevel(e.Level)).
		Str("_event", e.Kind)
	for _, f := range e.Fields {
		line = line.Fields([]any{"_" + f.Name, gelfValue(f.Value)})
	}
	line.Send()
	return append(bytes.TrimSuffix(b.Bytes(), []byte("\n")), 0)
}

// syslogLevel returns the syslog severity of a level. It never returns 0, which the
// platform treats as missing. The platform does not show 7.
func syslogLevel(l Level) int {
	switch l {
	case Debug:
		return 7
	case Error:
		return 3
	case Warn:
		return 4
	default:
		return 6
	}
}

// gelfValue converts values to strings or numbers, the only types of GELF. The server
// parses JSON in strings.
func gelfValue(v any) any {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case []string:
		return value.OfStrings(v).JSON()
	default:
		return v
	}
}
