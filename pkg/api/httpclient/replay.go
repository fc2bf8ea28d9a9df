package httpclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// replay returns responses and network errors from a recording. It sends no requests.
type replay struct{ *Options }

func (t *replay) do(ctx context.Context, x *call) (*Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entry, err := t.Player.Response(x.Request)
	if err != nil {
		return nil, err
	}
	if !entry.Unsent {
		x.connected()
	}
	t.Player.EndExchange(entry)
	if entry.Response.Content.File != nil && !x.Sender.File {
		return nil, failure.Userf("cannot replay the response to %s %s: it became a file, and the recording holds only its size and hash", x.Method, x.Address())
	}
	if entry.Error != "" {
		return nil, &networkError{code: entry.Code, what: entry.Error, unsent: entry.Unsent}
	}
	t.contacts.add(x.URL)
	body, err := entry.Body()
	if err != nil {
		return nil, err
	}
	spool := t.spooler.New()
	_, err = io.Copy(spool, t.runLimits.reader(bytes.NewReader(body)))
	if file := entry.Response.Content.File; err == nil && file != nil {
		spool.Recorded(response.Digest{Size: file.Size, SHA256: file.SHA256})
		_, err = io.CopyN(io.Discard, t.runLimits.reader(zeros{}), file.Size-int64(len(body)))
	}
	if err != nil {
		return nil, networkErrorOf(ctx, errors.Join(err, spool.Close()), true)
	}
	t.Stats.Bytes.Add(entry.Response.Content.Size)
	header := entry.Headers()
	spool.Arrived(unknownCoding(header), header.Get("Content-Type"))
	return &Response{
		call:       x,
		Status:     entry.Response.Status,
		StatusLine: strconv.Itoa(entry.Response.Status) + " " + entry.Response.StatusText,
		Header:     header,
		Body:       spool,
	}, nil
}

// zeros stands for the contents of a file that a recording does not hold.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
