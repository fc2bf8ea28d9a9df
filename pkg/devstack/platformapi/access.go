package platformapi

import (
	"net"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/devstack/guard"
	"github.com/keboola/configurable-extractor/pkg/platform"
)

const (
	tokenHeader = "X-StorageApi-Token"
	runHeader   = "X-KBC-RunId"
	maxID       = 255
)

// authorize requires a token. The token of a component may do everything except manage
// faults, which a real platform does not have.
func (s *server) authorize(r *http.Request) error {
	given := r.Header.Get(tokenHeader)
	switch {
	case guard.Equal(given, s.Token):
		return nil
	case !guard.Equal(given, s.JobToken):
		return &refusal{status: http.StatusUnauthorized, code: "storage.tokenInvalid", message: "Invalid access token"}
	case within(r.URL.Path, faultsPath):
		return &refusal{status: http.StatusForbidden, code: "accessDenied", message: "Components cannot make the platform fail"}
	default:
		return nil
	}
}

// baseURL returns the URL prefix of this server as the client wrote it in the Host header,
// so that URLs in responses also work from inside a container.
func baseURL(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func (s *server) queueURL(r *http.Request) string {
	if r.Context().Value(queueRootKey{}) != nil {
		return baseURL(r)
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil || s.QueuePort == "" || port != s.Port {
		return baseURL(r) + queuePath
	}
	at := *r
	at.Host = net.JoinHostPort(host, s.QueuePort)
	return baseURL(&at)
}

func validID(id string) bool { return len(id) <= maxID && platform.ValidID(id) }
