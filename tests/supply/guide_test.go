package supply

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shellBlocks are the shell blocks of docs/how-to/install.md by their first command,
// each with the output that follows it.
func shellBlocks(t *testing.T) map[string][2]string {
	t.Helper()
	blocks := map[string][2]string{}
	for _, b := range regexp.MustCompile("(?s)```sh\n(.*?)```\n(?:\n```text\n(.*?)```)?").FindAllStringSubmatch(string(read(t, root+"/docs/how-to/install.md")), -1) {
		first, _, _ := strings.Cut(b[1], "\n")
		blocks[first] = [2]string{b[1], b[2]}
	}
	return blocks
}

// guide runs a shell block of the guide in a new directory that is also the home
// directory. Programs in bin come before those of this machine.
func guide(t *testing.T, block, bin string, environment ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", block)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, environment...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s%v\n%s", block, err, out)
	}
	return string(out)
}

// TestInstallGuide runs the commands of docs/how-to/install.md: the download from a
// directory with the files of a release, the build from this source. What it does not
// run are the commands for other systems and those that need GitHub; the container's is
// run by tests/container.
func TestInstallGuide(t *testing.T) {
	inImage := built(t)
	blocks := shellBlocks(t)
	if len(blocks) != 5 {
		t.Errorf("the guide has %d shell blocks", len(blocks))
	}
	if _, there := blocks["go install "+ours+"/cmd/extractor@latest"]; !there {
		t.Error("the guide lacks the command of TestInstall")
	}

	t.Run("download", func(t *testing.T) {
		release := t.TempDir()
		program := read(t, filepath.Join(inImage, "extractor"))
		for _, name := range []string{"extractor-linux-amd64", "extractor-linux-arm64"} {
			if err := os.WriteFile(filepath.Join(release, name), program, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, stderr, err := script(t, "", nil, "checksums", release); err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		bin, calls := stub(t, "curl", `cp "`+release+`/${2##*/}" .`)
		block := blocks["base=https://github.com/keboola/configurable-extractor/releases/latest/download"]
		got := guide(t, block[0], bin)
		if got = strings.ReplaceAll(got, "1.2.3", "1.0.0"); got != block[1] || got == "" {
			t.Errorf("printed:\n%s\nthe guide shows:\n%s", got, block[1])
		}
		if !strings.Contains(calls(), "/releases/latest/download/extractor-linux-amd64\n") {
			t.Errorf("downloaded:\n%s", calls())
		}
	})
	t.Run("source", func(t *testing.T) {
		here, err := filepath.Abs(root)
		if err != nil {
			t.Fatal(err)
		}
		bin, _ := stub(t, "git", `mkdir configurable-extractor; cp -r "`+here+`/cmd" "`+here+`/pkg" "`+here+`/go.mod" "`+here+`/go.sum" configurable-extractor`)
		cache := "GOCACHE=" + strings.TrimSpace(goEnv(t, "GOCACHE"))
		modules := "GOMODCACHE=" + strings.TrimSpace(goEnv(t, "GOMODCACHE"))
		if got := guide(t, blocks["git clone https://github.com/keboola/configurable-extractor"][0], bin, cache, modules, "GOFLAGS=-trimpath", "CGO_ENABLED=0"); got != "configurable-extractor dev\n" {
			t.Errorf("printed %q", got)
		}
	})
}
