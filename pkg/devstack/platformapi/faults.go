package platformapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	maxFaults = 1000
	// maxDelay is the maximum delay of a fault, in seconds.
	maxDelay = 3600
)

// fault is an entry of the list of faults. The package documentation describes its members.
type fault struct {
	Method       string            `json:"method,omitempty"`
	Path         string            `json:"path"`
	Status       int               `json:"status,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	Body         json.RawMessage   `json:"body,omitempty"`
	DelaySeconds float64           `json:"delaySeconds,omitempty"`
	Cut          string            `json:"cut,omitempty"`
	// Times is the number of requests that the fault still applies to; 0 is no limit.
	Times int `json:"times,omitempty"`
}

// faults is the list of faults. It is safe for concurrent use: each use of a fault counts
// once.
type faults struct {
	mu   sync.Mutex
	list []fault
}

// take returns the first fault that matches a request and counts the use.
func (f *faults) take(method, path string) (fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		found := f.list[i]
		if found.Method != "" && found.Method != method || !strings.HasPrefix(path, found.Path) {
			continue
		}
		switch found.Times {
		case 0:
		case 1:
			f.list = slices.Delete(f.list, i, i+1)
		default:
			f.list[i].Times--
		}
		return found, true
	}
	return fault{}, false
}

func (f *faults) set(list []fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = list
}

func (f *faults) left() []fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]fault{}, f.list...)
}

func (s *server) listFaults(*http.Request) (response, error) { return ok(s.faults.left(), nil) }

func (s *server) clearFaults(*http.Request) (response, error) {
	s.faults.set(nil)
	return nothing(nil)
}

func (s *server) setFaults(r *http.Request) (response, error) {
	body, err := readBody(r)
	if err != nil {
		return response{}, err
	}
	list, err := parseFaults(body)
	if err != nil {
		return response{}, err
	}
	s.faults.set(list)
	return ok(s.faults.left(), nil)
}

// parseFaults parses a list of faults. It refuses unknown members, because a fault with a
// misspelt member would never apply.
func parseFaults(body []byte) ([]fault, error) {
	v, err := value.Parse(body)
	if err != nil {
		return nil, invalid("The body is not valid JSON: %s", err)
	}
	if v.Kind() != value.Array || v.Len() > maxFaults {
		return nil, invalid("The body must be a list of at most %d faults", maxFaults)
	}
	list := make([]fault, 0, v.Len())
	for i, item := range v.Items() {
		parsed, err := parseFault(item)
		if err != nil {
			return nil, invalid("Fault %d: %s", i+1, err)
		}
		list = append(list, parsed)
	}
	return list, nil
}
