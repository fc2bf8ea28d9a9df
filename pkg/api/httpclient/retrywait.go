package httpclient

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type delay struct {
	wait time.Duration
	// jitter is an additional random wait of this request alone.
	jitter time.Duration
	// pauseAll is true if all requests wait, not only this one.
	pauseAll bool
}

// maxDoublings prevents an overflow of the exponential backoff.
const maxDoublings = 32

// delay returns the wait before a retry: the wait of the rule or the wait that the
// response requests, otherwise 1 s, 2 s, 4 s and so on, plus jitter if requests are sent
// in parallel. A wait of a rule or of a header that exceeds `retryConfig.maxWait` is a
// user error.
func (t *retry) delay(res *Response, decision *rule.Decision, attempt int) (d delay, err error) {
	if d, ok, err := t.ruleDelay(res, decision); ok {
		return d, err
	}
	if res != nil {
		header := strings.Join(res.Header.Values(t.API.Retry.Header), ", ")
		if seconds, ok := retryAfter(header, t.Now()); ok {
			if seconds > int64(t.API.Retry.MaxWait/time.Second) {
				return d, t.tooLong(res, header, seconds)
			}
			return delay{wait: time.Duration(max(0, seconds)) * time.Second, pauseAll: true}, nil
		}
		d.pauseAll = res.Status == http.StatusTooManyRequests
	}
	d.wait = min(time.Second<<min(attempt-1, maxDoublings), t.API.Retry.MaxWait)
	if t.usesJitter() {
		random, err := t.Random(8, "the wait before a retry")
		if err != nil {
			return d, err
		}
		d.jitter = min(jitter(random, d.wait), t.API.Retry.MaxWait-d.wait)
	}
	return d, nil
}

// usesJitter reports whether waits get jitter. Requests must be sent in parallel, which a
// run with limits does not do. A recording has no jitter, because a replay must be able
// to repeat its waits.
func (t *retry) usesJitter() bool {
	return t.API.Concurrency > 1 && t.runLimits == nil && t.Recorder == nil && t.Player == nil
}

func (t *retry) tooLong(res *Response, header string, seconds int64) error {
	const day, mostShown = 24 * 60 * 60, 60
	if len(header) > mostShown {
		header = "…" // the rest may end with half of a secret, which is not masked
	}
	in := fmt.Sprintf("%d seconds", seconds)
	if seconds >= 2*day {
		in += fmt.Sprintf(" (%d days)", seconds/day)
	}
	return failure.Userf("[%d] %s returned %s and the header '%s: %s', which requires a wait of %s; 'api.retryConfig.maxWait' allows %s seconds: raise it to wait that long, or run again later",
		res.Status, res.Address(), strings.TrimSpace(res.StatusLine), t.API.Retry.Header, header, in,
		strconv.FormatFloat(t.API.Retry.MaxWait.Seconds(), 'f', -1, 64))
}

// retryAfter reads the value of the header that requests a wait. The value is a number of
// seconds, the Unix time of the next allowed request (a number from yesterday on), or an
// RFC 1123 date. A time in the past returns a negative number. ok is false if the value
// is 0 or not readable.
func retryAfter(text string, now time.Time) (seconds int64, ok bool) {
	const day = 24 * 60 * 60
	if seconds, ok = value.OfString(text).Nearest(); ok && seconds >= now.Unix()-day {
		seconds -= now.Unix()
	}
	for _, layout := range []string{http.TimeFormat, time.RFC1123Z} {
		if at, err := time.Parse(layout, text); err == nil {
			seconds, ok = at.Unix()-now.Unix(), true
		}
	}
	return seconds, ok && seconds != 0
}

// jitter returns a random part of a wait, between 10 % and 100 %. Requests that failed
// together are then not repeated together.
func jitter(random []byte, wait time.Duration) time.Duration {
	part := 0.1 + 0.9*float64(binary.BigEndian.Uint64(random))/math.MaxUint64
	return time.Duration(part * float64(wait)).Round(time.Millisecond)
}
