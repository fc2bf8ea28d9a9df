package platformapi

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// The points at which a fault drops the connection.
const (
	cutBefore = "before"
	cutAfter  = "after"
)

func parseFault(v value.Value) (fault, error) {
	if v.Kind() != value.Object {
		return fault{}, invalid("it must be an object, not %s", v.Kind().WithArticle())
	}
	known := []string{"method", "path", "status", "headers", "body", "delaySeconds", "cut", "times"}
	for _, m := range v.Members() {
		if !slices.Contains(known, m.Name) {
			return fault{}, invalid("%q is unknown, expected %s", m.Name, quoted(known))
		}
	}
	f := &fields{members: v}
	parsed := fault{
		Method: strings.ToUpper(f.text("method")), Path: f.text("path"), Status: f.number("status", 0, 400, 599),
		Headers: f.headers(), DelaySeconds: f.delay(), Cut: f.text("cut"), Times: f.number("times", 0, 0, math.MaxInt32),
	}
	if body, given := f.get("body"); given {
		parsed.Body = f.document("body", body)
	}
	switch {
	case f.err != nil:
		return fault{}, f.err
	case !strings.HasPrefix(parsed.Path, "/"):
		return fault{}, invalid(`"path" must begin with "/"`)
	case parsed.Cut != "" && parsed.Cut != cutBefore && parsed.Cut != cutAfter:
		return fault{}, invalid(`"cut" must be "before" or "after"`)
	case parsed.Cut != "" && parsed.Status != 0:
		return fault{}, invalid(`"cut" and "status" exclude each other`)
	case parsed.Status == 0 && (parsed.Body != nil || len(parsed.Headers) > 0):
		return fault{}, invalid(`"body" and "headers" need a "status"`)
	case parsed.Status == 0 && parsed.Cut == "" && parsed.DelaySeconds == 0:
		return fault{}, invalid(`it needs a "status", a "cut" or "delaySeconds"`)
	}
	return parsed, nil
}

func (f *fields) delay() float64 {
	v, given := f.get("delaySeconds")
	if !given {
		return 0
	}
	seconds, isNumber := v.Float()
	if v.Kind() != value.Number || !isNumber || seconds < 0 || seconds > maxDelay {
		f.fail(`"delaySeconds" must be a number from 0 to %d`, maxDelay)
	}
	return seconds
}

func (f *fields) headers() map[string]string {
	v, given := f.get("headers")
	if !given || emptyList(v) {
		return nil
	}
	if v.Kind() != value.Object {
		f.fail(`"headers" must be an object, not %s`, v.Kind().WithArticle())
	}
	headers := map[string]string{}
	for _, m := range v.Members() {
		if !httpguts.ValidHeaderFieldName(m.Name) || !httpguts.ValidHeaderFieldValue(m.Value.Raw()) || !m.Value.IsScalar() {
			f.fail(`"headers" holds the invalid header %q`, m.Name)
		}
		headers[m.Name] = m.Value.Raw()
	}
	return headers
}
