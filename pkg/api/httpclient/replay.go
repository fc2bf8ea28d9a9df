package httpclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
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
	if entry.Error != "" {
		return nil, &networkError{code: entry.Code, what: entry.Error, unsent: entry.Unsent}
	}
	t.contacts.add(x.URL)
	body, err := entry.Body()
	if err != nil {
		return nil, err
	}
	spool := t.spooler.New()
	if _, err := io.Copy(spool, t.runLimits.reader(bytes.NewReader(body))); err != nil {
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
