package platform_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/keboola/go-client/pkg/client"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
)

var _ variables.Platform = (*platform.Client)(nil)

const (
	token   = "123-4567-tOkEnThatMustNotBeSeen"
	storage = "https://connection.example.com"
	queue   = "https://queue.example.com"
	index   = "GET " + storage + "/v2/storage?exclude=components"
	job     = "GET " + queue + "/jobs/99"
	config  = "GET " + storage + "/v2/storage/components/keboola.variables/configs/12"
	row     = config + "/rows/7"
)

// response is what the mocked platform says to one request.
type response struct {
	status int
	body   string
	kind   string // content type; "" is JSON
}

// mocked is a client of a platform that knows these responses, by "METHOD URL",
// and refuses requests whose token is not as it must be.
func mocked(t *testing.T, responses map[string]response, set ...func(*platform.Options)) (*platform.Client, *httpmock.MockTransport) {
	t.Helper()
	transport := httpmock.NewMockTransport()
	for request, a := range responses {
		method, address, _ := strings.Cut(request, " ")
		transport.RegisterResponder(method, address, func(r *http.Request) (*http.Response, error) {
			want := token
			if request == index {
				want = ""
			}
			if got := r.Header.Get("X-StorageApi-Token"); got != want {
				t.Errorf("%s: token %q", request, got)
			}
			response := httpmock.NewStringResponse(a.status, a.body)
			response.Header.Set("Content-Type", "application/json; charset=utf-8")
			if a.kind != "" {
				response.Header.Set("Content-Type", a.kind)
			}
			return response, nil
		})
	}
	retry := client.TestingRetry()
	o := platform.Options{URL: storage, Token: token, Transport: transport, Retry: &retry}
	for _, f := range set {
		f(&o)
	}
	c, err := platform.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, transport
}

func TestNewRefusesFaultyOptions(t *testing.T) {
	const address = "must be an absolute http or https URL without user, query and fragment"
	for name, tc := range map[string]struct {
		options platform.Options
		want    string
	}{
		"no address":          {platform.Options{Token: token}, "the platform address " + address},
		"host only":           {platform.Options{URL: "connection.example.com", Token: token}, "the platform address " + address},
		"other scheme":        {platform.Options{URL: "ftp://h", Token: token}, "the platform address " + address},
		"no host":             {platform.Options{URL: "https:///x", Token: token}, "the platform address " + address},
		"user in address":     {platform.Options{URL: "https://u:p@h", Token: token}, "the platform address " + address},
		"query":               {platform.Options{URL: "https://h?a=b", Token: token}, "the platform address " + address},
		"empty query":         {platform.Options{URL: "https://h?", Token: token}, "the platform address " + address},
		"fragment":            {platform.Options{URL: "https://h#a", Token: token}, "the platform address " + address},
		"not a URL":           {platform.Options{URL: "http://h:port", Token: token}, "the platform address " + address},
		"queue without host":  {platform.Options{URL: storage, QueueURL: "queue", Token: token}, "the queue address " + address},
		"no token":            {platform.Options{URL: storage}, "the platform token must be printable characters without blanks"},
		"token with new line": {platform.Options{URL: storage, Token: token + "\n"}, "the platform token must be printable characters without blanks"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := platform.New(tc.options)
			if err == nil || err.Error() != tc.want || failure.KindOf(err) != failure.User {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestDefaultsAreUsable(t *testing.T) {
	if _, err := platform.New(platform.Options{URL: storage + "/", Token: token}); err != nil {
		t.Error(err)
	}
}
