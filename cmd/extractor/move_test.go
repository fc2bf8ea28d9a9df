package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMoveGuide runs the commands of docs/how-to/move-from-the-original.md. The original
// is a program that leaves the table that the original makes of the API's response; what is
// stored on the platform is in platform_test.go.
func TestMoveGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/how-to/move-from-the-original.md")
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"items":[{"id":1,"total":19.90},{"id":2,"total":5}]}`)
	}))
	t.Cleanup(api.Close)
	platform := fakePlatform(t)
	dir, bin := t.TempDir(), t.TempDir()
	real := strings.NewReplacer("https://api.example.com", api.URL)
	// What differs: the address of the API, and the version.
	shown := strings.NewReplacer(api.URL, "https://api.example.com", strings.TrimPrefix(api.URL, "http://"), "api.example.com",
		"configurable-extractor/dev", "configurable-extractor/1.0.0")
	for name, script := range map[string]string{
		"extractor": `exec "` + os.Args[0] + `" "$@"`,
		"docker": `[ "$*" = "run --rm -v $PWD/original:/data quay.io/keboola/generic-extractor:latest" ] || exit 9
mkdir -p original/out/tables
printf '"id","total"\n"1","19.9"\n"2","5"\n' >original/out/tables/shop.orders
printf '{"destination":"in.c-shop.orders","incremental":false}' >original/out/tables/shop.orders.manifest`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	commands, compared, printed := 0, 0, ""
	for i, part := range strings.Split(string(text), "```") {
		if i%2 == 0 {
			continue
		}
		kind, block, _ := strings.Cut(part, "\n")
		switch {
		case strings.HasPrefix(kind, "json file="):
			path := filepath.Join(dir, strings.TrimPrefix(kind, "json file="))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(real.Replace(block)), 0o600); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(kind, "sh"):
			// The fake platform knows one component and one configuration.
			block = strings.NewReplacer("keboola.ex-generic-v2", "acme.ex-shop", "--config 123", "--config 2").Replace(block)
			cmd := exec.CommandContext(t.Context(), "sh", "-euc", block)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), asProgram + "=1", "GORACE=" + quickExit, "KBC_URL=" + platform.URL, "KBC_TOKEN=" + platformToken}
			out, err := cmd.CombinedOutput()
			if exit := fmt.Sprintf("sh exit=%d", cmd.ProcessState.ExitCode()); kind == "sh" && err != nil || kind != "sh" && kind != exit {
				t.Fatalf("%s%v\n%s", block, err, out)
			}
			commands++
			printed = shown.Replace(string(out))
		default:
			compared++
			if printed != block {
				t.Errorf("printed:\n%s\nthe document shows:\n%s", printed, block)
			}
		}
	}
	if commands != 5 || compared != 3 {
		t.Errorf("%d blocks of commands were run, %d outputs compared", commands, compared)
	}
}
