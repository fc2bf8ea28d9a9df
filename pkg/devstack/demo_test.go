package devstack

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestDemo(t *testing.T) {
	clock := newClock()
	dir := filepath.Join(t.TempDir(), "new", "data")
	var stdout, stderr bytes.Buffer
	code, err := Demo(context.Background(), DemoOptions{DataDir: dir, Stdout: &stdout, Stderr: &stderr, Now: clock.now, Sleep: clock.sleep})
	if code != 0 || err != nil || stderr.Len() > 0 {
		t.Fatalf("code %d, error %v, stderr %q, stdout\n%s", code, err, &stderr, &stdout)
	}
	if slept := clock.now().Sub(newClock().now()).Seconds(); slept != 1 {
		t.Errorf("waited for %v seconds, want 1", slept)
	}
	for _, part := range []string{
		dir + "/config.json", "shop.orders: 9 rows, ", "shop.stock: 10 rows, ", "shop.users: 23 rows, ", "go run ./cmd/extractor --data " + dir,
	} {
		if !strings.Contains(stdout.String(), part) {
			t.Errorf("no %q in\n%s", part, &stdout)
		}
	}
	if strings.Contains(stdout.String(), shop.Password) || strings.Contains(stdout.String(), "shop-token") {
		t.Errorf("a secret in\n%s", &stdout)
	}
}

func TestDemoRefusesADirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.json")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Demo(context.Background(), DemoOptions{DataDir: dir, Stdout: io.Discard, Stderr: io.Discard})
	if failure.KindOf(err) != failure.User || !strings.HasPrefix(err.Error(), path+" exists already") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("config.json is now %q, %v", text, err)
	}
}

func TestDemoExitCode(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stderr bytes.Buffer
	code, err := Demo(ctx, DemoOptions{DataDir: filepath.Join(t.TempDir(), "data"), Stdout: io.Discard, Stderr: &stderr})
	if code != failure.ExitUser || err != nil || stderr.Len() == 0 {
		t.Errorf("code %d, error %v, stderr %q", code, err, &stderr)
	}
}
