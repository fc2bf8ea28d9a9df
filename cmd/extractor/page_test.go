package main

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack"
	"github.com/keboola/configurable-extractor/pkg/devstack/shop"
)

// shownCommand matches a command on the page of the local platform.
var shownCommand = regexp.MustCompile(`(?s)<pre tabindex="0"><code>(.*?)</code></pre>`)

// TestPageCommands: the commands that the page of the local platform shows work as they
// are pasted into a shell.
func TestPageCommands(t *testing.T) {
	slowtest.Skip(t, "it follows two jobs")
	for _, needed := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skip("SKIPPED: the commands need a program that is not on this machine: ", err)
		}
	}
	store := httptest.NewServer(shop.New(shop.Options{Now: time.Now}))
	defer store.Close()
	dir := dataDir(t, strings.ReplaceAll(configFor(store.URL, ""), `"endpoint":"t"`, `"endpoint":"products"`))
	at, stop, err := servePlatform(filepath.Join(dir, "platform"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}

	overview, address := commandsOn(t, browser, at.Page)
	if len(overview) != 4 {
		t.Fatalf("the empty overview shows %q", overview)
	}
	pasted := slices.Insert(overview, 1, devstack.DefaultToken) // the first one reads it
	if text := paste(t, dir, pasted...); !strings.Contains(text, "configuration 1") || strings.Count(text, "success") < 2 {
		t.Errorf("the commands of the overview print\n%s", text)
	}
	// The one that was stored by curl has not run yet.
	second, _ := commandsOn(t, browser, address+"configurations/acme.ex-shop/2")
	if len(second) < 2 {
		t.Fatalf("the configuration shows %q", second)
	}
	if text := paste(t, dir, second[0], devstack.DefaultToken, second[1]); !strings.Contains(text, "Extraction finished: 5 rows") {
		t.Errorf("the commands of the configuration print\n%s", text)
	}
}

// commandsOn returns the commands on a page, and its address after a login.
func commandsOn(t *testing.T, browser *http.Client, page string) (commands []string, address string) {
	t.Helper()
	res, err := browser.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", page, res.Status, err)
	}
	for _, match := range shownCommand.FindAllStringSubmatch(string(text), -1) {
		commands = append(commands, html.UnescapeString(match[1]))
	}
	return commands, res.Request.URL.String()
}

// paste types lines into a shell in a directory, and returns what is printed.
func paste(t *testing.T, dir string, lines ...string) string {
	t.Helper()
	cmd := exec.Command("bash", "-e")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GORACE=" + quickExit}
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, text)
	}
	return string(text)
}
