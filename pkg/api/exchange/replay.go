package exchange

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/har"
)

// replay answers from a recording, network errors included. Nothing leaves.
type replay struct {
	player  *har.Player
	spooler *answer.Spooler
	stats   *Stats
	budget  *Budget
	// contacts are told of every answer.
	contacts *Contacts
}

var _ http.RoundTripper = (*replay)(nil)

// RoundTrip implements http.RoundTripper. The answer's body is a
// *answer.Spool.
func (t *replay) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	sent, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	entry, err := t.player.Answer(req, sent)
	if err != nil {
		return nil, err
	}
	// The log counts requests by their connections.
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil && !entry.Unsent {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	t.player.Pass(entry)
	if entry.Error != "" {
		return nil, &networkError{code: entry.Code, what: entry.Error, unsent: entry.Unsent}
	}
	t.contacts.add(req.URL)
	return t.answer(req, entry)
}

// answer is the recorded answer as if it came from the network.
func (t *replay) answer(req *http.Request, entry *har.Entry) (*http.Response, error) {
	body, err := entry.Body()
	if err != nil {
		return nil, err
	}
	spool := t.spooler.New()
	if _, err := io.Copy(spool, t.budget.reader(bytes.NewReader(body))); err != nil {
		return nil, networkErrorOf(req.Context(), errors.Join(err, spool.Close()), true)
	}
	t.stats.Bytes.Add(entry.Response.Content.Size)
	return &http.Response{
		Status:     strconv.Itoa(entry.Response.Status) + " " + entry.Response.StatusText,
		StatusCode: entry.Response.Status,
		Header:     entry.Headers(),
		Body:       spool,
		Request:    req,
	}, nil
}
