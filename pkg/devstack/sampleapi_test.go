package devstack

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// startSampleAPI runs SampleAPI on a free port until the test ends. It returns
// the base URL and everything that was printed.
func startSampleAPI(t *testing.T, shop shop.Options) (url, printed string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- SampleAPI(ctx, SampleAPIOptions{Listen: "127.0.0.1:0", Shop: shop, Stdout: write})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the sample API did not stop cleanly: %v", err)
		}
	})
	lines := bufio.NewReader(read)
	var all strings.Builder
	for range 3 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(line)
	}
	return regexp.MustCompile(`http://[0-9.:]+`).FindString(all.String()), all.String()
}

func TestSampleAPI(t *testing.T) {
	url, printed := startSampleAPI(t, shop.Options{})
	want := "The sample shop is at " + url + ` (stop it with Ctrl+C)
Log in with POST /login {"user":"demo","password":"let-me-in"}, then send
the token of the response as the header Authorization: Bearer TOKEN.
`
	if printed != want {
		t.Errorf("printed\n%s\nwant\n%s", printed, want)
	}
	response, err := http.Post(url+"/login", "application/json", strings.NewReader(`{"user":"demo","password":"let-me-in"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("login: status %d", response.StatusCode)
	}
}

func TestSampleAPIAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	err = SampleAPI(context.Background(), SampleAPIOptions{Listen: taken.Addr().String(), Stdout: io.Discard})
	if failure.KindOf(err) != failure.User || !strings.HasPrefix(err.Error(), "the sample API cannot listen on "+taken.Addr().String()) {
		t.Errorf("got %v", err)
	}
}
