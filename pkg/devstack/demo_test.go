package devstack

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestDemo(t *testing.T) {
	clock := clock.At(start)
	dir := filepath.Join(t.TempDir(), "new", "data")
	var stdout, stderr bytes.Buffer
	code, err := Demo(context.Background(), DemoOptions{DataDir: dir, Stdout: &stdout, Stderr: &stderr, Now: clock.Now, engine: inProcess{clock: clock}})
	if code != 0 || err != nil || !strings.HasPrefix(stderr.String(), "update it with `extractor config push ") || !strings.Contains(stderr.String(), "\njob 3: created") {
		t.Fatalf("code %d, error %v, stderr %q, stdout\n%s", code, err, &stderr, &stdout)
	}
	if slept := clock.Now().Sub(start).Seconds(); slept != 1 {
		t.Errorf("waited for %v seconds, want 1", slept)
	}
	for _, part := range []string{
		"\nconfiguration 2\n", "\njob 3: success: ", "in.c-shop.orders: 9 rows, ", "in.c-shop.stock: 10 rows, ", "in.c-shop.users: 23 rows, ", "warn    dataField 'orders' contains no data",
	} {
		if !strings.Contains(stdout.String(), part) {
			t.Errorf("no %q in\n%s", part, &stdout)
		}
	}
	if strings.Contains(stdout.String(), shop.Password) || strings.Contains(stdout.String(), "shop-token") {
		t.Errorf("a secret in\n%s", &stdout)
	}
	for _, kept := range []string{"config.json", "variables.json", "platform/platform.db"} {
		if _, err := os.Stat(filepath.Join(dir, kept)); err != nil {
			t.Error(err)
		}
	}
	if config, err := os.ReadFile(filepath.Join(dir, "config.json")); err != nil || !strings.Contains(string(config), `"onIncomplete": "fail"`) {
		t.Errorf("who copies the configuration gets no error when data is missing: %v\n%s", err, config)
	}
}

func TestDemoLeavesNothing(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	clock := clock.At(start)
	if code, err := Demo(context.Background(), DemoOptions{Stdout: io.Discard, Stderr: io.Discard, Now: clock.Now, engine: inProcess{clock: clock}}); code != 0 || err != nil {
		t.Fatalf("code %d, %v", code, err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDemoServes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	clock, out := clock.At(start), make(watched, 100)
	ended := make(chan error, 1)
	go func() {
		_, err := Demo(ctx, DemoOptions{Serve: true, Stdout: out, Stderr: io.Discard, Now: clock.Now, engine: inProcess{clock: clock}})
		ended <- err
	}()
	for page := ""; page == ""; {
		select {
		case err := <-ended:
			t.Fatalf("ended: %v", err)
		case text := <-out:
			page = regexp.MustCompile(`http://[0-9.:]+/\?token=local`).FindString(text)
		}
		if page == "" {
			continue
		}
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&http.Client{Jar: jar}).Get(page)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(text), "/jobs/3") {
			t.Errorf("the page: %v\n%s", err, text)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// watched gives on what is written to it.
type watched chan string

func (w watched) Write(text []byte) (int, error) {
	w <- string(text)
	return len(text), nil
}

func TestDemoRefusesADirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.json")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Demo(context.Background(), DemoOptions{DataDir: dir, Stdout: io.Discard, Stderr: io.Discard, engine: inProcess{clock: clock.At(start)}})
	if failure.KindOf(err) != failure.User || !strings.HasPrefix(err.Error(), path+" already exists") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("config.json is now %q, %v", text, err)
	}
}

func TestDemoInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Demo(ctx, DemoOptions{Stdout: io.Discard, Stderr: io.Discard, engine: inProcess{clock: clock.At(start)}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
