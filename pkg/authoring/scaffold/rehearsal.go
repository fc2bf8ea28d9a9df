package scaffold

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/load"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// rehearse runs a configuration on its own example, without a network. The first request
// gets the response of the example. A second request is not sent. rehearse returns lines
// that describe the result and may contain credentials. The failure of the run is a line,
// not an error.
func rehearse(ctx context.Context, x example.Exchange, text []byte) (lines []string, err error) {
	dir, err := os.MkdirTemp("", "extractor-init-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	given, err := config.Parse(withoutTLS(x, text))
	if err != nil {
		return nil, err
	}
	secrets := &secret.Registry{}
	doc, err := load.Load(ctx, given, load.Options{Secrets: secrets})
	if err != nil {
		return nil, err
	}
	if err := doc.Problems.Err(); err != nil {
		return nil, err
	}
	seen := &messageCollector{}
	run := &env.Run{
		Log: event.NewLog(seen, secrets, time.Now), Secrets: secrets, Now: time.Now,
		Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Getenv: func(string) string { return "" },
		Dial:   exampleServer{x}.dial,
		Limits: env.Limits{Requests: 1},
		Temp:   filepath.Join(dir, "temp"), Tables: filepath.Join(dir, "tables"),
	}
	for _, path := range []string{run.Temp, run.Tables} {
		if err := os.Mkdir(path, 0o700); err != nil {
			return nil, err
		}
	}
	result, err := doc.Program.Run(ctx, run)
	if err != nil {
		return append(seen.lines, "The run fails on the example: "+err.Error()), nil
	}
	if result.LimitReached != nil {
		seen.lines = append(seen.lines, "Then it requests the next page, which is not in the example.")
	}
	if len(seen.lines) == 0 {
		seen.lines = []string{"The run writes no table."}
	}
	return seen.lines, nil
}

// messageCollector collects the messages of warnings and of written tables.
type messageCollector struct{ lines []string }

func (r *messageCollector) Write(e event.Event) error {
	if e.Level == event.Warn || e.Kind == event.KindOf(event.TableWritten{}) {
		r.lines = append(r.lines, textfmt.Cut(e.Message, maxMessage))
	}
	return nil
}

func (r *messageCollector) Close() error { return nil }

// maxMessage is the maximum length, in bytes, of a shown message.
const maxMessage = 500

// withoutTLS replaces https by http in URLs of the example's host, because the server of
// a rehearsal has no certificate.
func withoutTLS(x example.Exchange, text []byte) []byte {
	u, err := url.Parse(x.URL)
	if err != nil {
		return text
	}
	return bytes.ReplaceAll(text, []byte("https://"+u.Host), []byte("http://"+u.Host))
}

// exampleServer responds to every request with the response of an example.
type exampleServer struct{ x example.Exchange }

func (s exampleServer) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go s.serve(server)
	return client, nil
}

// serve handles one request. It ignores errors, because the client has then closed the
// connection.
func (s exampleServer) serve(conn net.Conn) {
	defer conn.Close()
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	if _, err := io.Copy(io.Discard, request.Body); err != nil {
		return
	}
	header := http.Header{}
	for name, lines := range s.x.ResponseHeader {
		switch name { // headers of the encoded body and of the connection
		case "Content-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade", "Keep-Alive":
		default:
			header[name] = lines
		}
	}
	response := http.Response{
		StatusCode: s.x.Status, ProtoMajor: 1, ProtoMinor: 1, Request: request, Header: header, Close: true,
		Body: io.NopCloser(bytes.NewReader(s.x.Response)), ContentLength: int64(len(s.x.Response)),
	}
	_ = response.Write(conn)
}

// rehearsalReport returns the masked paragraph about a rehearsal.
func (b *exampleInit) rehearsalReport(ctx context.Context, x example.Exchange, text []byte) string {
	lines, err := rehearse(ctx, x, text)
	if err != nil {
		lines = []string{"The configuration could not be tried: " + err.Error()}
	}
	var t strings.Builder
	t.WriteString("\nA run on the example, without a network:\n")
	for _, line := range lines {
		fmt.Fprintf(&t, "- %s\n", strings.Join(strings.Fields(line), " "))
	}
	return b.secrets.Mask(t.String())
}
