package target

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/response"
)

// exchange sends one request and receives the answer to its last byte, within
// the time-out. A body that breaks off is an error of the exchange.
type exchange struct {
	next    http.RoundTripper
	timeout time.Duration
	spooler *response.Spooler
	stats   *Stats
}

var _ http.RoundTripper = (*exchange)(nil)

// RoundTrip implements http.RoundTripper. The answer's body is a
// *response.Spool.
func (t *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(req.Context(), t.timeout, errRequestTimeout)
	defer cancel()
	if u := req.URL.User; u != nil && req.Header.Get("Authorization") == "" {
		password, _ := u.Password()
		req = req.Clone(ctx)
		req.SetBasicAuth(u.Username(), password)
	}
	res, err := t.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, networkErrorOf(ctx, err, false)
	}
	spool, err := t.receive(res)
	if err != nil {
		return nil, networkErrorOf(ctx, err, true)
	}
	t.stats.Bytes.Add(spool.Size())
	res.Body, res.Request = spool, req
	return res, nil
}

// receive reads the whole body, decompressed, into a spool.
func (t *exchange) receive(res *http.Response) (*response.Spool, error) {
	spool := t.spooler.New()
	body, err := decompress(res)
	if err == nil {
		_, err = io.Copy(spool, body)
	}
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return nil, errors.Join(err, spool.Close())
	}
	return spool, nil
}

// decompress undoes the Content-Encoding. An empty body has none.
func decompress(res *http.Response) (io.Reader, error) {
	encoding := strings.ToLower(strings.TrimSpace(res.Header.Get("Content-Encoding")))
	if encoding != "gzip" && encoding != "x-gzip" && encoding != "deflate" {
		return res.Body, nil
	}
	body := bufio.NewReader(res.Body)
	head, err := body.Peek(2)
	if len(head) == 0 {
		if err == io.EOF {
			return body, nil
		}
		return nil, err
	}
	if encoding != "deflate" {
		return gzip.NewReader(body)
	}
	if len(head) == 2 && (uint(head[0])<<8|uint(head[1]))%31 == 0 && head[0]&15 == 8 {
		return zlib.NewReader(body)
	}
	return flate.NewReader(body), nil // some servers leave the zlib header out
}

var errRequestTimeout = errors.New("the answer did not arrive in time")
