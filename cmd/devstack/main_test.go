package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestRun(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	used := t.TempDir()
	if err := os.WriteFile(filepath.Join(used, "config.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		name           string
		args           []string
		ended          bool // the context ends before the start
		code           int
		stdout, stderr string // the beginnings
	}{
		{name: "help", args: []string{"--help"}, stdout: "Try the extractor on your computer"},
		{name: "unknown command", args: []string{"dmeo"}, code: 1, stderr: `devstack: unknown command "dmeo"`},
		{name: "unknown flag", args: []string{"demo", "--dir", "x"}, code: 1, stderr: "devstack: unknown flag: --dir"},
		{name: "unexpected argument", args: []string{"sample-api", "x"}, code: 1, stderr: `devstack: unknown command "x"`},
		{name: "demo in a directory in use", args: []string{"demo", "--data", used}, code: 1, stderr: "devstack: " + used + "/config.json already exists"},
		{name: "demo interrupted", args: []string{"demo", "--data", filepath.Join(used, "new")}, ended: true, code: 1,
			stdout: "A platform runs at http://127.0.0.1:", stderr: "devstack: nothing is stored, because the secrets cannot be encrypted: GET http://127.0.0.1:"},
		{name: "platform at an address in use", args: []string{"serve", "--data", filepath.Join(used, "p1"), "--listen", taken.Addr().String()}, code: 1,
			stderr: "devstack: the local platform cannot listen on " + taken.Addr().String()},
		{name: "platform without a token", args: []string{"serve", "--data", filepath.Join(used, "p2"), "--token", ""}, code: 1,
			stderr: "devstack: the token must not be empty"},
		{name: "platform with an unknown runner", args: []string{"serve", "--data", filepath.Join(used, "p3"), "--runner", "podman"}, code: 1,
			stderr: "devstack: --runner must be process or docker, found 'podman'"},
		{name: "platform with an unknown program", args: []string{"serve", "--data", filepath.Join(used, "p4"), "--extractor", filepath.Join(used, "none")}, code: 1,
			stderr: "devstack: cannot find the program of the component: "},
		{name: "platform with unknown logging", args: []string{"serve", "--data", filepath.Join(used, "p5"), "--listen", "127.0.0.1:0", "--logging", "udp"}, code: 1,
			stderr: "devstack: the logging of a component is "},
		{name: "platform in a file", args: []string{"serve", "--data", filepath.Join(used, "config.json"), "--listen", "127.0.0.1:0"}, code: 1,
			stderr: "devstack: the local platform needs a directory for its data: "},
		{name: "platform with TLS for components", args: []string{"serve", "--data", filepath.Join(used, "p7"), "--listen", "127.0.0.1:0", "--tls", "--component-address", "platform:8088"}, code: 1,
			stderr: "devstack: --component-address cannot be used with --tls"},
		{name: "platform with a queue address in use", args: []string{"serve", "--data", filepath.Join(used, "p8"), "--listen", "127.0.0.1:0", "--queue-listen", taken.Addr().String()}, code: 1,
			stderr: "devstack: the local platform cannot listen on " + taken.Addr().String()},
		{name: "platform stops cleanly", args: []string{"serve", "--data", filepath.Join(used, "p6"), "--listen", "127.0.0.1:0"}, ended: true,
			stdout: `{"storage":"http://127.0.0.1:`},
		{name: "sample API at an address in use", args: []string{"sample-api", "--listen", taken.Addr().String()}, code: 1,
			stderr: "devstack: the sample API cannot listen on " + taken.Addr().String()},
		{name: "no server", args: []string{"healthy", "http://127.0.0.1:1/"}, code: 1, stderr: "devstack: the server does not respond: "},
		{name: "sample API stops cleanly", args: []string{"sample-api", "--listen", "127.0.0.1:0"}, ended: true,
			stdout: "The sample shop is at http://127.0.0.1:"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if row.ended {
				cancel()
			}
			var stdout, stderr bytes.Buffer
			if code := run(ctx, row.args, &stdout, &stderr); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			if !strings.HasPrefix(stdout.String(), row.stdout) || row.stdout == "" && stdout.Len() > 0 {
				t.Errorf("stdout %q, want %q…", &stdout, row.stdout)
			}
			if !strings.HasPrefix(stderr.String(), row.stderr) || row.stderr == "" && stderr.Len() > 0 {
				t.Errorf("stderr %q, want %q…", &stderr, row.stderr)
			}
			if row.ended && strings.Count(stderr.String(), "\n") > 1 {
				t.Errorf("more than the component's one line on stderr:\n%s", &stderr)
			}
		})
	}
}

// The document lists exactly the flags of serve.
func TestServeFlagsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to", "local-platform.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `--.*").FindAllString(string(text), -1) {
		for _, flag := range regexp.MustCompile("`--([a-z-]+)`").FindAllStringSubmatch(strings.SplitN(row, "|", 3)[1], -1) {
			documented[flag[1]] = true
		}
	}
	newServe().Flags().VisitAll(func(f *pflag.Flag) {
		if !documented[f.Name] {
			t.Errorf("--%s is not in docs/how-to/local-platform.md", f.Name)
		}
		delete(documented, f.Name)
	})
	for name := range documented {
		t.Errorf("docs/how-to/local-platform.md describes --%s, which does not exist", name)
	}
}
