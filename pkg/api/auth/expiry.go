package auth

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// expiry is `expires`: how long the credentials of a login last.
type expiry struct {
	kind     expiryKind
	seconds  int64  // of afterSeconds
	path     string // of fromResponse
	relative bool   // of fromResponse: the value counts seconds from now
	pointer  string
}

type expiryKind int

const (
	never expiryKind = iota
	atOnce
	afterSeconds
	fromResponse
)

// expiryTime is when credentials end; the zero value is never.
type expiryTime struct {
	set  bool
	unix int64 // until this second has passed; afterOneRequest is after one request
}

const afterOneRequest = math.MinInt64

func (e expiryTime) expired(now time.Time) bool {
	return e.set && now.Unix() > e.unix
}

// The settings of the expiry.
var (
	Expires = field.Of("expires", "Expiry", "Seconds until the login is repeated; 0 repeats it before every request; an object reads the expiry from the login's response. Absent: one login for the whole run.", expiresType).
		Example(`3600`, `{"response": "expires_in", "relative": true}`).As(field.NamingRole)
	expiresType = &field.Type{Name: "expires", Title: "integer or object", Doc: "Reads the expiry from the login's response.", Kinds: []string{"integer", "string", "boolean", "object"}, NotEmpty: []string{"object"},
		Pattern: field.NewPattern(`^(\s*[+-]?(0|[1-9][0-9]*)\s*)?$`), Message: `expected a number of seconds or an object with "response"`, Fields: field.Fields(ExpiresPath, expiresRelative)}
	ExpiresPath     = field.Text("response", "Path", "Path in the login's response where the expiry is: a Unix time or a date.").Typed(&field.Type{Kinds: []string{"string"}, NotEmpty: []string{"string"}, Message: "expected a path"}).Example(`"expires_in"`).Must().As(field.Path)
	expiresRelative = field.Flag("relative", "Relative", "The value is a number of seconds from now on.").Example(`true`)
)

// compileExpiry reads `expires`; false and "" mean no expiry, and the original
// takes true for never. That an object names a path is checked by the schema.
func compileExpiry(s config.Section) expiry {
	e := expiry{pointer: s.Pointer}
	switch s.Value.Kind() {
	case value.Null, value.Bool:
	case value.Number, value.String:
		if s.Value.Raw() == "" {
			break
		}
		seconds, ok := wholeSeconds(s.Value)
		if !ok {
			s.Problem("expected a number of seconds, or an object with the path 'response'", "")
		}
		e.kind, e.seconds = afterSeconds, seconds
		if seconds <= 0 {
			e.kind = atOnce
		}
	default:
		e.kind, e.path, e.relative = fromResponse, ExpiresPath.In(s).Value.Raw(), expiresRelative.Of(s)
	}
	return e
}

// wholeSeconds reads an integer, or a text that holds a decimal one. Fractions
// and other spellings are problems of the schema; a number may be too large.
func wholeSeconds(v value.Value) (int64, bool) {
	if v.Kind() == value.Number {
		return v.Int()
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(v.Raw()), 10, 64)
	return seconds, err == nil
}

func (e expiry) from(response value.Value, now time.Time) (expiryTime, error) {
	switch e.kind {
	case never:
		return expiryTime{}, nil
	case atOnce:
		return expiryTime{true, afterOneRequest}, nil
	case afterSeconds:
		return expiryTime{true, now.Unix() + min(e.seconds, farthest)}, nil
	}
	v, ok := response.At(e.path, ".")
	if !ok || v.IsNull() {
		return expiryTime{}, nil
	}
	unix, ok := e.unix(v, now)
	if !ok {
		return expiryTime{}, failure.Userf("the response's value at '%s' is neither a number nor a date", e.path).At(e.pointer)
	}
	if unix < now.Unix() {
		return expiryTime{}, failure.Userf("the credentials had already expired when they arrived, says the response at '%s' (%s)",
			e.path, time.Unix(unix, 0).UTC().Format(time.RFC3339)).At(e.pointer)
	}
	return expiryTime{true, unix}, nil
}

// farthest is the last second of the year 9999: long enough to be valid, and
// far from what the sum with the time of day cannot hold.
const farthest = 253402300799

// unix reads a value as seconds since 1970: a number or numeric text counts
// from then, or from now when relative; anything else is a date.
func (e expiry) unix(v value.Value, now time.Time) (int64, bool) {
	if v.IsNumeric() {
		n, ok := v.Int()
		n = min(n, farthest)
		if e.relative {
			n += now.Unix()
		}
		return n, ok
	}
	if v.Kind() != value.String || strings.TrimSpace(v.Raw()) == "" {
		return 0, false
	}
	at, ok := php.StrToTime(v.Raw(), now)
	return at.Unix(), ok
}
