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

// expiry is the setting `expires`, the lifetime of the credentials of a login.
type expiry struct {
	kind     expiryKind
	seconds  int64  // lifetime, for afterSeconds
	path     string // path in the response, for fromResponse
	relative bool   // true if the value counts seconds from now, for fromResponse
	pointer  string
}

type expiryKind int

const (
	never expiryKind = iota
	atOnce
	afterSeconds
	fromResponse
)

// expiryTime is the time when credentials end. The zero value means that they never end.
type expiryTime struct {
	set  bool
	unix int64 // last valid second since 1970, or afterOneRequest
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

// compileExpiry reads `expires`. false and "" mean no expiry. true means the same, as in
// the original extractor. The schema checks that an object names a path.
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

// wholeSeconds reads an integer, or a text with a decimal integer. The schema reports
// fractions and other spellings. ok is false for a number that is too large.
func wholeSeconds(v value.Value) (int64, bool) {
	if v.Kind() == value.Number {
		return v.Int()
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(v.Raw()), 10, 64)
	return seconds, err == nil
}

func (e expiry) timeFrom(response value.Value, now time.Time) (expiryTime, error) {
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

// farthest is the last second of the year 9999. It is late enough for every expiry, and
// the sum of it and the current time fits into 64 bits.
const farthest = 253402300799

// unix reads a value as seconds since 1970. It adds the current time to a number or
// numeric text if the setting is relative. Any other text is a date.
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
