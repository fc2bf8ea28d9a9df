package documents

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/pipes"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/internal/testbin"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/env"
)

const troubleshooting = "../../docs/how-to/troubleshooting.md"

// trouble is a run that goes wrong in a known way. The hosts of the configuration are
// led to the API.
type trouble struct {
	api       http.HandlerFunc
	untrusted bool   // no one trusts the certificate of the API
	doc       string // of config.json
	env       map[string]string
	exit      int
	// messages makes the trouble happen in another way; it returns what people see.
	messages func(*testing.T) string
}

// troubles are the sections of the page, by their headings.
func troubles() map[string]trouble {
	return map[string]trouble{
		"The API returns 401 Unauthorized": {
			api:  response(http.StatusUnauthorized, `{"message":"the token has expired"}`),
			doc:  document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users"}`),
			exit: 1,
		},
		"The API responds with a login page": {
			api:  response(http.StatusOK, `<!DOCTYPE html><html><head><title>Sign in</title></head><body><form method="post"><input name="user"><input name="password" type="password"></form></body></html>`),
			doc:  document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users"}`),
			exit: 1,
		},
		"A value leads to another path": {
			api:  response(http.StatusOK, `[{"id":"../admin"}]`),
			doc:  document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users","children":[{"endpoint":"users/{id}/orders","dataType":"orders","placeholders":{"id":"id"}}]}`),
			exit: 1,
		},
		"The API limits the rate of requests": {
			api: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "7200")
				w.WriteHeader(http.StatusTooManyRequests)
			},
			doc:  document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users"}`),
			exit: 1,
		},
		"The response takes too long": {
			api:  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			doc:  document(`"baseUrl":"https://api.example.com","retryConfig":{"maxRetries":1}`, `{"endpoint":"report"}`),
			exit: 1,
		},
		"The host cannot be reached": {
			messages: func(t *testing.T) string {
				unknown := trouble{doc: document(`"baseUrl":"https://`+unknownHost+`"`, `{"endpoint":"users"}`), exit: 1}
				deaf := trouble{doc: document(`"baseUrl":"https://`+deafHost+`"`, `{"endpoint":"users"}`), exit: 1}
				return unknown.happen(t) + deaf.happen(t)
			},
		},
		"The certificate is not trusted": {
			untrusted: true,
			doc:       document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users"}`),
			exit:      1,
		},
		"The proxy does not answer": {
			env:  map[string]string{"https_proxy": "http://" + deafProxy + ":3128"},
			doc:  document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users"}`),
			exit: 1,
		},
		"The table is empty": {
			api: response(http.StatusOK, `{"items":[],"total":0}`),
			doc: document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users","dataField":"items"}`),
		},
		"Only the first page is fetched": {
			api: response(http.StatusOK, `{"items":[{"id":1},{"id":2}],"next_page":2}`),
			doc: document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users","dataField":"items"}`),
		},
		"`dataField` is wrong": {
			api: response(http.StatusOK, `{"result":{"users":[{"id":1},{"id":2}]}}`),
			doc: document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users","dataField":"users"}`),
		},
		"The response has two lists": {
			api:  response(http.StatusOK, `{"users":[{"id":1}],"roles":[{"id":7}]}`),
			doc:  document(`"baseUrl":"https://api.example.com"`, `{"endpoint":"users"}`),
			exit: 1,
		},
		"A secret is not sent to another host": {
			api: func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, `{"items":[{"id":1}],"next":"https://files.example.net/%s/page-2"}`, r.URL.Query().Get("key"))
			},
			doc: strings.Replace(document(`"baseUrl":"https://api.example.com","pagination":{"method":"response.url","urlKey":"next"}`,
				`{"endpoint":"users","dataField":"items","params":{"key":{"attr":"#key"}}}`), `"jobs"`, `"#key":"k-20931","jobs"`, 1),
			exit: 1,
		},
		"A value is still encrypted": {
			doc: strings.Replace(document(`"baseUrl":"https://api.example.com"`,
				`{"endpoint":"users","params":{"key":{"attr":"#key"}}}`), `"jobs"`, `"#key":"KBC::ProjectSecure::eJwBAAEA","jobs"`, 1),
			exit: 1,
		},
		"An address shows `[hidden]`": {
			api: response(http.StatusNotFound, `{"message":"unknown account"}`),
			doc: strings.Replace(document(`"baseUrl":"https://api.example.com"`,
				`{"endpoint":"accounts/acme-prod/users"}`), `"jobs"`, `"#account":"acme-prod","jobs"`, 1),
			exit: 1,
		},
		"The data directory cannot be written": {messages: denied},
		"A response does not fit into memory":  {messages: large},
	}
}

// response always responds to the same.
func response(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // a client that is gone has its own error
	}
}

// document is a configuration with the keys of `api` and one job.
func document(api, job string) string {
	return `{"parameters":{"api":{` + api + `},"config":{"outputBucket":"shop","jobs":[` + job + `]}}}`
}

// The hosts that no one reaches.
const (
	unknownHost = "api.exmaple.com"
	deafHost    = "internal.example.com"
	deafProxy   = "proxy.example.com"
)

// happen makes the trouble happen and returns the messages: the line of stderr of a
// failed run, the warnings of one that succeeds. Time passes only while everything
// waits, and connections are pipes, so a time-out comes neither early nor late.
func (tr trouble) happen(t *testing.T) (messages string) {
	t.Helper()
	if tr.messages != nil {
		return tr.messages(t)
	}
	synctest.Test(t, func(t *testing.T) {
		listener := pipes.Listen()
		server := &httptest.Server{Listener: listener, Config: &http.Server{
			Handler:  tr.api,
			ErrorLog: log.New(io.Discard, "", 0), // handshakes fail intentionally
		}}
		server.StartTLS()
		defer server.Close()
		messages = tr.run(t, server.Certificate(), dialing(listener))
	})
	return messages
}

func (tr trouble) run(t *testing.T, certificate *x509.Certificate, dial env.Dial) string {
	t.Helper()
	doc := tr.doc
	if !tr.untrusted {
		authority, err := json.Marshal(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})))
		if err != nil {
			t.Fatal(err)
		}
		doc = strings.Replace(doc, `"api":{`, `"api":{"caCertificate":`+string(authority)+`,`, 1)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	exit := app.Run(t.Context(), app.Options{
		DataDir: dir, LogFormat: "json", Stdout: &stdout, Stderr: &stderr,
		Run: env.Run{Getenv: func(name string) string { return tr.env[name] }, Dial: dial},
	})
	if exit != tr.exit {
		t.Fatalf("exit code %d, want %d\n%s%s", exit, tr.exit, &stdout, &stderr)
	}
	if exit != 0 {
		return stderr.String()
	}
	return warnings(t, stdout.String())
}

// dialing returns a function that connects to the listener, but for the hosts that are not reached.
func dialing(l *pipes.Listener) env.Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		switch host, _, _ := strings.Cut(address, ":"); host {
		case unknownHost:
			return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
		case deafHost, deafProxy:
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		return l.Dial(ctx, network, address)
	}
}

// warnings are the messages of the events of level warn, a line each.
func warnings(t *testing.T, events string) (lines string) {
	t.Helper()
	for line := range strings.Lines(events) {
		var e struct{ Level, Message string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Level == "warn" {
			lines += e.Message + "\n"
		}
	}
	return lines
}

// large is a response with one value of more than 128 MiB. The program reads it, because
// with the race detector that would take minutes here.
func large(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `[{"file":"`) // a client that is gone has its own error
		megabyte := strings.Repeat("x", 1<<20)
		for range 129 {
			if _, err := io.WriteString(w, megabyte); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `"}]`)
	}))
	defer server.Close()
	stderr := runProgram(t, document(`"baseUrl":"`+server.URL+`"`, `{"endpoint":"files"}`), 0o755, 1)
	return strings.ReplaceAll(stderr, server.URL, "https://api.example.com")
}

// denied runs in a data directory that it may not write.
func denied(t *testing.T) string {
	t.Helper()
	stderr := runProgram(t, document(`"baseUrl":"http://127.0.0.1:1"`, `{"endpoint":"users"}`), 0o555, 2)
	return regexp.MustCompile(`user id \d+`).ReplaceAllString(stderr, "user id 65532")
}

// runProgram runs the program in a data directory with this mode, which must end with
// this exit code, and returns what it writes to stderr. It runs as any user but root, who
// may write everywhere.
func runProgram(t *testing.T, doc string, mode os.FileMode, exit int) string {
	t.Helper()
	slowtest.Skip(t, "it builds the program")
	parent := t.TempDir()
	extractor, err := testbin.Build(parent, "extractor")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "data")
	err = errors.Join(
		os.Chmod(filepath.Dir(parent), 0o755), os.Chmod(parent, 0o755), os.Mkdir(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "config.json"), []byte(doc), 0o644),
	)
	cmd := exec.CommandContext(t.Context(), extractor, "--data", dir)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // no proxy, no platform
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		err = errors.Join(err, os.Chown(dir, 65532, 65532))
	}
	if err := errors.Join(err, os.Chmod(dir, mode)); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	if ended, is := errors.AsType[*exec.ExitError](err); !is || ended.ExitCode() != exit {
		t.Fatalf("%v, want exit code %d\n%s", err, exit, &stderr)
	}
	return strings.ReplaceAll(stderr.String(), dir, "/data")
}

// TestTroubleshooting makes each trouble of the page happen and compares what people see
// with the block below its heading. With -update the page is rewritten.
func TestTroubleshooting(t *testing.T) {
	t.Parallel()
	text := read(t, troubleshooting)
	known := troubles()
	sections := regexp.MustCompile("(?m)^### (.+)\n\n```text\n((?:[^`].*\n)+)```$").FindAllStringSubmatchIndex(text, -1)
	rewritten, end, says := "", 0, map[string]string{}
	for _, at := range sections {
		heading, shown := text[at[2]:at[3]], text[at[4]:at[5]]
		tr, is := known[heading]
		if !is {
			t.Errorf("%s: no test makes this happen: %s", troubleshooting, heading)
			continue
		}
		delete(known, heading)
		t.Run(heading, func(t *testing.T) {
			got := tr.happen(t)
			if got != shown && !golden.Update(t) {
				t.Errorf("%s shows below %q\n%s\nthe program says\n%s\nIf that is intended: go test ./tests/documents -run TestTroubleshooting -update", troubleshooting, heading, shown, got)
			}
			says[anchor(heading)] = got
			rewritten += text[end:at[4]] + got
			end = at[5]
		})
	}
	for heading := range known {
		t.Errorf("%s: no section with a message has the heading: %s", troubleshooting, heading)
	}
	for _, row := range regexp.MustCompile(`(?m)^\| (.+) \| \[.*\]\(#(.*)\) \|$`).FindAllStringSubmatch(text, -1) {
		for _, part := range regexp.MustCompile("`(.+?)`").FindAllStringSubmatch(row[1], -1) {
			if message, happened := says[row[2]]; happened && !strings.Contains(message, part[1]) {
				t.Errorf("%s: the table leads from %q to #%s, whose message is\n%s", troubleshooting, part[1], row[2], message)
			}
		}
		delete(says, row[2])
	}
	for section := range says {
		t.Errorf("%s: the table does not lead to #%s", troubleshooting, section)
	}
	if golden.Update(t) && !t.Failed() {
		golden.File(t, troubleshooting, rewritten+text[end:])
	}
}
