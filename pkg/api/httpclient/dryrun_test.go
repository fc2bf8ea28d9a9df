package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// A dry run collects exactly what a server would get, and sends nothing, even if every
// error would be retried.
func TestDryRun(t *testing.T) {
	const api = `{"retryConfig":{"maxRetries":3,"http":{"codes":[200]}},"http":{"headers":{"x-Odd":["1","2"],"Empty":""},"rateLimit":{"requests":1,"perSeconds":10}}}`
	dry := &DryRun{Response: []byte(`{"token":"t"}`)}
	f := newFixture(t, "https://eva:p4ss@api.test/v1", api, nil, func(o *Options) {
		o.DryRun = dry
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			t.Error("a dry run used the network")
			return nil, errors.New("no network")
		}
	})
	spool, err := f.Login(t.Context(), config.RequestSpec{Endpoint: "login", Method: "FORM", Params: parse(t, `{"a":"b c"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if body := readSpool(t, spool); body != `{"token":"t"}` {
		t.Errorf("the login returned %s", body)
	}
	for range 2 {
		if _, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "a/../ä?x=1", Params: parse(t, `{"q":[1,2]}`)}); !errors.Is(err, ErrNotSent) {
			t.Errorf("got %v", err)
		}
	}
	var got []string
	for _, out := range dry.Outgoing {
		got = append(got, fmt.Sprintf("%t %s %s %v %q %s", out.Login, out.Method, out.URL, out.Headers, out.Body, out.Built.URL.Redacted()))
	}
	job := `false GET https://api.test/v1/%C3%A4?x=1&q%5B0%5D=1&q%5B1%5D=2 [{Host api.test} {User-Agent agent/1} {Accept application/json} {Accept-Encoding gzip} {Authorization Basic ZXZhOnA0c3M=} {Empty } {x-Odd 1} {x-Odd 2}] "" https://eva:xxxxx@api.test/v1/%C3%A4?x=1&q%5B0%5D=1&q%5B1%5D=2`
	want := []string{
		`true POST https://api.test/v1/login [{Host api.test} {User-Agent agent/1} {Content-Length 5} {Accept application/json} {Accept-Encoding gzip} {Authorization Basic ZXZhOnA0c3M=} {Content-Type application/x-www-form-urlencoded}] "a=b+c" https://eva:xxxxx@api.test/v1/login`,
		job, job,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(f.sleeps) > 0 {
		t.Errorf("a dry run waited %v", f.sleeps)
	}
}
