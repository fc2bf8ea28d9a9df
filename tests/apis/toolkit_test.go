package apis

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// world is what a mock server can use. Its requests come one after another.
type world struct {
	*testing.T
	// now is the time at the beginning of a run, and passed has the time since then, in a run only.
	now    time.Time
	passed func() time.Duration
	mu     sync.Mutex
	// requests counts the requests by a key that the mock server chooses.
	requests map[string]int
	// sent has the times of the latest requests by such a key.
	sent map[string][]time.Time
	// shown are the conditions that responses have had, and notShown has the reason for each
	// condition that does not apply to the API.
	shown    map[condition]bool
	notShown map[condition]string
	// refusedUntil has the end of the last refusal of each request.
	refusedUntil map[string]time.Time
}

func newWorld(t *testing.T) *world {
	return &world{
		T: t, now: firstDay,
		requests: map[string]int{}, sent: map[string][]time.Time{}, shown: map[condition]bool{}, refusedUntil: map[string]time.Time{},
	}
}

// Now returns the time of the API.
func (w *world) Now() time.Time {
	if w.passed == nil {
		return w.now
	}
	return w.now.Add(w.passed())
}

func (w *world) locked(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// refusal ends a request that the API does not accept, with a reason. failed ends a request that
// got its response already.
type (
	refusal string
	failed  struct{}
)

// serve is a handler that understands refuse and fail.
func (w *world) serve(api http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		defer func() {
			switch end := recover().(type) {
			case nil, failed:
			case refusal:
				w.Errorf("%s http://%s%s: %s", r.Method, r.Host, r.URL, end)
				reply(rw, http.StatusBadRequest, object{"error": end})
			default:
				// net/http only logs a panic, and the request may be repeated.
				if end != http.ErrAbortHandler {
					w.Errorf("%s http://%s%s: panic: %v\n%s", r.Method, r.Host, r.URL, end, debug.Stack())
				}
				panic(http.ErrAbortHandler)
			}
		}()
		api.ServeHTTP(rw, r)
	})
}

// refuse reports a request that the API does not accept, and ends it: it does not return.
func (*world) refuse(why ...any) { panic(refusal(fmt.Sprint(why...))) }

func (w *world) refuseIf(refused bool, why ...any) {
	if refused {
		w.refuse(why...)
	}
}

func (w *world) refuseError(err error) { w.refuseIf(err != nil, err) }

// fail sends an error that the configuration must bear, with names and values of headers, and
// ends the request: it does not return.
func fail(rw http.ResponseWriter, status int, body any, headers ...string) {
	for i := 0; i < len(headers); i += 2 {
		rw.Header().Set(headers[i], headers[i+1])
	}
	reply(rw, status, body)
	panic(failed{})
}

func failIf(fails bool, rw http.ResponseWriter, status int, body any, headers ...string) {
	if fails {
		fail(rw, status, body, headers...)
	}
}

// failUntil fails a request that is over a limit until a time.
func (w *world) failUntil(rw http.ResponseWriter, r *http.Request, end time.Time, status int, body any, headers ...string) {
	w.refusedAgain(r.Method+" "+r.URL.String(), end)
	fail(rw, status, body, headers...)
}

// count counts a request, and returns its number.
func (w *world) count(key string) int {
	w.requests[key]++
	return w.requests[key]
}

// admit refuses a request that is not for the host or lacks one of the headers.
func (w *world) admit(r *http.Request, host string, headers map[string]string) {
	w.refuseIf(r.Host != host, "no such host")
	for name, want := range headers {
		got := r.Header.Get(name)
		w.refuseIf(got != want, fmt.Sprintf("%s is %q", name, got))
	}
}

// object is an object of JSON.
type object = map[string]any

// number returns a parameter from least to most, and refuses others.
func (w *world) number(query url.Values, name string, least, most int) int {
	n, err := strconv.Atoi(query.Get(name))
	w.refuseIf(err != nil || n < least || n > most,
		fmt.Sprintf("%s is %q, and must be from %d to %d", name, query.Get(name), least, most))
	return n
}

// recent counts a request, and returns how many there were in a period.
func (w *world) recent(key string, period time.Duration) int {
	now := w.Now()
	w.sent[key] = slices.DeleteFunc(append(w.sent[key], now), func(t time.Time) bool { return now.Sub(t) >= period })
	return len(w.sent[key])
}

// put adds an item, or replaces the same one.
func put[T any](all []T, item T, isSame func(T) bool) []T {
	if i := slices.IndexFunc(all, isSame); i >= 0 {
		all[i] = item
		return all
	}
	return append(all, item)
}

// cut returns the items of a page from an offset.
func cut[T any](all []T, from, size int) []T {
	return all[min(from, len(all)):min(from+size, len(all))]
}

// each converts items. The list is never null in JSON.
func each[T, U any](all []T, convert func(T) U) []U {
	converted := make([]U, 0, len(all))
	for _, item := range all {
		converted = append(converted, convert(item))
	}
	return converted
}

// without is a copy of a list that lacks some items.
func without[T any](all []T, lacks func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), lacks)
}

// address is an absolute address. The tests use http, because they have no certificates
// for the hosts of the gallery; check replaces https in the configurations.
func address(host, path string) string { return "http://" + host + path }

// reply sends a JSON response.
func reply(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	if err := json.NewEncoder(rw).Encode(body); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// issued reports whether a request has one of the tokens that the logins have returned, which
// are this name and the number of the login. A request that was on its way during a login
// has an earlier one.
func issued(r *http.Request, name string, logins int) bool {
	number, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "+name)
	n, err := strconv.Atoi(number)
	return ok && err == nil && 1 <= n && n <= logins
}

// refusedAgain notes that a request is refused until a time. It reports a request that was
// refused before, and is repeated before the time that was noted then.
func (w *world) refusedAgain(request string, end time.Time) {
	if before := w.refusedUntil[request]; w.Now().Before(before) {
		w.Errorf("%s is repeated %s too early", request, before.Sub(w.Now()))
	}
	w.refusedUntil[request] = end
}

// strictly decodes a JSON body that has no other members.
func strictly(from io.Reader, to any) error {
	decoder := json.NewDecoder(from)
	decoder.DisallowUnknownFields()
	return decoder.Decode(to)
}

// privateKey returns a key in the form of PEM by the placeholder of the configurations.
func (w *world) privateKey(key any) map[string]string {
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		w.Fatal(err)
	}
	return map[string]string{"your-private-key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}))}
}

// readJWT decodes the header and the claims of a JSON Web Token. valid reports whether the
// signature belongs to the SHA-256 of the signed text.
func readJWT(token string, valid func(sum, signature []byte) bool, header, claims any) error {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return fmt.Errorf("a JSON Web Token of %d parts", len(parts))
	}
	for i, v := range []any{header, claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err == nil {
			err = json.Unmarshal(text, v)
		}
		if err != nil {
			return err
		}
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return err
	}
	if sum := sha256.Sum256([]byte(parts[0] + "." + parts[1])); !valid(sum[:], signature) {
		return errors.New("wrong signature")
	}
	return nil
}
