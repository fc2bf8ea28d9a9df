package devstack

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// messages is what a platform says on stderr.
type messages struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *messages) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *messages) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serveLocal serves a platform until the test ends, which must be clean.
func serveLocal(t *testing.T, listen, token string) (address string, said *messages) {
	t.Helper()
	said = new(messages)
	l, addresses, err := ServeOptions{
		Data: filepath.Join(t.TempDir(), "data"), Listen: listen, Token: token, Stderr: said, Now: clock.At(start).Now, engine: inProcess{},
	}.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop := background(t.Context(), l.run)
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return strings.TrimPrefix(addresses.Storage, "http://"), said
}

// say sends bytes on a connection of its own and returns what comes back; the
// connection is closed for writing when nothing more is to be said.
func say(t *testing.T, address, text string) string {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	// The server may refuse before it has heard everything.
	_, _ = io.WriteString(connection, text)
	_ = connection.(*net.TCPConn).CloseWrite()
	response, _ := io.ReadAll(connection)
	return string(response)
}

// TestHostileConnections: what no client library would send ends in a refusal or
// in silence, never in a 5xx, and the platform continues.
func TestHostileConnections(t *testing.T) {
	slowtest.Skip(t, "it waits for time-outs")
	t.Parallel()
	address, said := serveLocal(t, "127.0.0.1:0", DefaultToken)
	host := "Host: " + address + "\r\n"
	token := "X-StorageApi-Token: " + DefaultToken + "\r\n"
	const post = "POST /v2/storage/components/acme.ex/configs HTTP/1.1\r\n"
	const asJSON = "Content-Type: application/json\r\n"
	for name, tc := range map[string]struct {
		send string
		want []string // the beginning of each status, "" for silence
	}{
		"nothing":                   {"", []string{""}},
		"garbage":                   {"\x16\x03\x01\x00\xff\x00\r\n\r\n", []string{"400"}},
		"HTTP/2":                    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []string{"421"}},
		"HTTP/0.9":                  {"GET /\r\n\r\n", []string{"400"}},
		"HTTP/1.0 without a host":   {"GET /v2/storage HTTP/1.0\r\n\r\n", []string{"421"}},
		"no host":                   {"GET /v2/storage HTTP/1.1\r\n\r\n", []string{"400"}},
		"two hosts":                 {"GET /v2/storage HTTP/1.1\r\n" + host + "Host: evil.example\r\n\r\n", []string{"400"}},
		"a foreign host":            {"GET /v2/storage HTTP/1.1\r\nHost: evil.example\r\n" + token + "\r\n", []string{"421"}},
		"a foreign host, port":      {"GET / HTTP/1.1\r\nHost: evil.example:8088\r\n\r\n", []string{"421"}},
		"a name that begins alike":  {"GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n", []string{"421"}},
		"a foreign absolute target": {"GET http://evil.example/v2/storage HTTP/1.1\r\n" + host + token + "\r\n", []string{"421"}},
		"localhost":                 {"GET /v2/storage HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", []string{"200"}},
		"loopback of IPv6":          {"GET /v2/storage HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n", []string{"200"}},
		"connect":                   {"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", []string{"421"}},
		"connect to itself":         {"CONNECT " + address + " HTTP/1.1\r\n" + host + token + "Connection: close\r\n\r\n", []string{"3", "4"}},
		"options of everything":     {"OPTIONS * HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", []string{"200"}},
		"a star":                    {"GET * HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", []string{"400"}},
		"a broken method":           {"G\x00T / HTTP/1.1\r\n" + host + "\r\n", []string{"400"}},
		"a broken target":           {"GET /%zz HTTP/1.1\r\n" + host + "\r\n", []string{"400"}},
		"a target of bytes":         {"GET /\xff\xfe HTTP/1.1\r\n" + host + token + "Connection: close\r\n\r\n", []string{"303", "400"}},
		"huge headers":              {"GET / HTTP/1.1\r\n" + host + "A: " + strings.Repeat("x", 2<<20) + "\r\n\r\n", []string{"431", ""}},
		"many headers":              {"GET / HTTP/1.1\r\n" + host + strings.Repeat("A: b\r\n", 300_000) + "\r\n", []string{"431", ""}},
		"a huge target":             {"GET /" + strings.Repeat("x", 2<<20) + " HTTP/1.1\r\n" + host + "\r\n", []string{"431", ""}},
		"a broken header":           {"GET / HTTP/1.1\r\n" + host + "A\x00: b\r\n\r\n", []string{"400"}},
		"a folded token":            {"GET /v2/storage/events HTTP/1.1\r\n" + host + "X-StorageApi-Token:\r\n " + DefaultToken + "\r\nConnection: close\r\n\r\n", []string{"200", "400", "401"}},
		"half a body":               {post + host + token + asJSON + "Content-Length: 100\r\n\r\n{\"name\":", []string{"400"}},
		"half a body, no token":     {post + host + asJSON + "Content-Length: 100\r\n\r\n{\"name\":", []string{"401"}},
		"a body that no one reads":  {"GET /v2/storage HTTP/1.1\r\n" + host + "Content-Length: 100\r\n\r\nhalf", []string{"200"}},
		"a negative length":         {post + host + token + asJSON + "Content-Length: -1\r\n\r\n{}", []string{"400"}},
		"a huge length":             {post + host + token + asJSON + "Content-Length: 99999999999999999999\r\n\r\n{}", []string{"400"}},
		"two lengths":               {post + host + token + asJSON + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", []string{"400"}},
		"length and chunks":         {post + host + token + asJSON + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n", []string{"400"}},
		"an unknown transfer":       {post + host + token + asJSON + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", []string{"501"}},
		"broken chunks":             {post + host + token + asJSON + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", []string{"400"}},
		"a huge chunk":              {post + host + token + asJSON + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}", []string{"400"}},
		"unending chunks":           {post + host + token + asJSON + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", []string{"400"}},
		"a smuggled request":        {post + host + token + asJSON + "Content-Length: 2\r\nConnection: close\r\n\r\n{}DELETE /faults HTTP/1.1\r\n" + host + "\r\n", []string{"400"}},
		"faults with a slash":       {"GET /faults/ HTTP/1.1\r\n" + host + token + "Connection: close\r\n\r\n", []string{"200"}},
		"dots":                      {"GET /queue/../v2/storage/events HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", []string{"301", "307", "401", "404"}},
		"continue":                  {post + host + token + asJSON + "Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", []string{"100"}},
		"another expectation":       {post + host + token + asJSON + "Expect: tea\r\nContent-Length: 2\r\n\r\n{}", []string{"417"}},
		"an upgrade":                {"GET /stream HTTP/1.1\r\n" + host + "Upgrade: websocket\r\nConnection: upgrade\r\n\r\n", []string{"303"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := say(t, address, tc.send)
			status := ""
			if protocol, rest, found := strings.Cut(response, " "); found && strings.HasPrefix(protocol, "HTTP/1.") {
				status = rest[:min(3, len(rest))]
			}
			for _, want := range tc.want {
				if want == "" && response == "" || want != "" && strings.HasPrefix(status, want) {
					return
				}
			}
			t.Errorf("got %.300q, want %q", response, tc.want)
		})
	}
	t.Cleanup(func() {
		response := say(t, address, "GET /v2/storage/tokens/verify HTTP/1.1\r\n"+host+token+"Connection: close\r\n\r\n")
		if !strings.HasPrefix(response, "HTTP/1.1 200 ") {
			t.Errorf("afterwards: %s", response)
		}
		if said.String() != "" {
			t.Errorf("the platform said:\n%s", said)
		}
	})
}

// TestConnectionServesOn: after each refusal the same connection serves the next
// request.
func TestConnectionServesOn(t *testing.T) {
	address, _ := serveLocal(t, "127.0.0.1:0", DefaultToken)
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	responses := bufio.NewReader(connection)
	for _, tc := range []struct {
		request, header, body string
		status                int
	}{
		{"PATCH /queue/jobs", "", "", 405},
		{"GET /v2/storage/nothing", "", "", 404},
		{"POST /queue/jobs", "Content-Type: application/json\r\n", "{", 400},
		{"POST /queue/jobs", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n", strings.Repeat("x", 1000), 415},
		{"POST /queue/jobs", "Content-Type: text/plain\r\n", strings.Repeat("x", 100_000), 400},
		{"GET /v2/storage/events", "X-StorageApi-Token: other\r\n", "a body", 401},
		{"POST /queue/jobs", "Origin: http://evil.example\r\n", "a body", 403},
		{"GET /", "Host: evil.example\r\n", "", 421},
		{"HEAD /stream", "", "", 303},
		{"POST /login", "Content-Type: application/x-www-form-urlencoded\r\n", "token=%zz", 400},
		{"GET /v2/storage/tokens/verify", "", "", 200},
	} {
		header := tc.header
		for name, text := range map[string]string{"Host": address, "X-StorageApi-Token": DefaultToken} {
			if !strings.Contains(header, name+":") {
				header += name + ": " + text + "\r\n"
			}
		}
		if _, err := fmt.Fprintf(connection, "%s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s", tc.request, header, len(tc.body), tc.body); err != nil {
			t.Fatal(err)
		}
		method, _, _ := strings.Cut(tc.request, " ")
		response, err := http.ReadResponse(responses, &http.Request{Method: method})
		if err != nil {
			t.Fatalf("%s: %v", tc.request, err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != tc.status {
			t.Errorf("%s: %d %s, %v", tc.request, response.StatusCode, text, err)
		}
	}
}

// TestManyClients: clients that come side by side are all served, and those that
// never finish their request do not hold them up.
func TestManyClients(t *testing.T) {
	address, _ := serveLocal(t, "127.0.0.1:0", DefaultToken)
	for range 50 {
		hold, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer hold.Close()
		if _, err := io.WriteString(hold, "GET / HTTP/1.1\r\nHost: "); err != nil {
			t.Fatal(err)
		}
	}
	var clients sync.WaitGroup
	for i := range 100 {
		clients.Go(func() {
			body := fmt.Sprintf(`{"component":"acme.ex","message":"m %d"}`, i)
			response := say(t, address, fmt.Sprintf("POST /v2/storage/events HTTP/1.1\r\nHost: %s\r\nX-StorageApi-Token: %s\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
				address, DefaultToken, len(body), body))
			if !strings.HasPrefix(response, "HTTP/1.1 201 ") {
				t.Errorf("client %d: %q", i, response)
			}
		})
	}
	clients.Wait()
	response := say(t, address, fmt.Sprintf("GET /v2/storage/events?limit=1000 HTTP/1.0\r\nHost: %s\r\nX-StorageApi-Token: %s\r\n\r\n", address, DefaultToken))
	_, body, _ := strings.Cut(response, "\r\n\r\n")
	var events []any
	if err := json.Unmarshal([]byte(body), &events); err != nil || len(events) != 100 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// TestSlowBodies: a body that does not arrive in time is not waited for, whether
// the handler reads it or not; one that waits for a slow handler is read.
func TestSlowBodies(t *testing.T) {
	slowtest.Skip(t, "it waits for time-outs")
	t.Parallel()
	const limit = 50 * time.Millisecond
	handler := http.NewServeMux()
	handler.HandleFunc("/read", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d read, in time: %v", len(text), err == nil)
	})
	handler.HandleFunc("/ignore", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ignored") })
	handler.HandleFunc("/late", func(w http.ResponseWriter, r *http.Request) {
		<-time.After(2 * limit) // the one thing that must last longer than the limit
		text, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d read, in time: %v, there: %v", len(text), err == nil, r.Context().Err() == nil)
	})
	server := httptest.NewServer(withBodyTimeout(limit, handler))
	defer server.Close()
	for name, tc := range map[string]struct{ path, body, want string }{
		"half of what is read":    {"/read", "half", "4 read, in time: false"},
		"half of what is ignored": {"/ignore", "half", "ignored"},
		"nothing of it":           {"/read", "", "0 read, in time: false"},
		"all of it":               {"/read", "complete!", "9 read, in time: true"},
		"read late":               {"/late", "complete!", "9 read, in time: true, there: true"},
	} {
		t.Run(name, func(t *testing.T) {
			connection, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n%s", tc.path, tc.body); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				t.Fatal(err)
			}
			text := make([]byte, response.ContentLength)
			if _, err := io.ReadFull(response.Body, text); err != nil || string(text) != tc.want {
				t.Errorf("got %q, %v, want %q", text, err, tc.want)
			}
		})
	}
}

// TestListensOnLoopback by default; on other addresses it warns about the default
// token.
func TestListensOnLoopback(t *testing.T) {
	for name, address := range map[string]string{
		"the platform": DefaultPlatformListen, "the sample API": DefaultListen, "the demonstration": freePort,
	} {
		host, _, err := net.SplitHostPort(address)
		if err != nil || !net.ParseIP(host).IsLoopback() {
			t.Errorf("%s listens on %s, %v", name, address, err)
		}
	}
	const warning = "can be reached from other computers and uses the default token; choose another with --token\n"
	for _, tc := range []struct {
		listen, token string
		warns         bool
	}{
		{"127.0.0.1:0", DefaultToken, false}, {"0.0.0.0:0", DefaultToken, true}, {"0.0.0.0:0", "a token of my own", false},
	} {
		address, said := serveLocal(t, tc.listen, tc.token)
		if warned := strings.HasSuffix(said.String(), warning); warned != tc.warns || !tc.warns && said.String() != "" {
			t.Errorf("%s, %s: %q", tc.listen, tc.token, said)
		}
		// Elsewhere it has other names.
		response := say(t, address, "GET /v2/storage HTTP/1.0\r\nHost: platform:8088\r\n\r\n")
		if want := map[bool]string{true: "421", false: "200"}[strings.HasPrefix(tc.listen, "127.")]; !strings.HasPrefix(response, "HTTP/1.0 "+want) {
			t.Errorf("%s: %q", tc.listen, response)
		}
	}
}

// TestFilesArePrivate: what is stored contains secrets, so no other user of this
// machine may read it.
func TestFilesArePrivate(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	l, _, err := ServeOptions{Data: data, Listen: "127.0.0.1:0", Token: DefaultToken, Stderr: io.Discard, engine: inProcess{}}.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop := background(t.Context(), l.run)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	found := 0
	err = filepath.WalkDir(data, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %s", path, info.Mode())
		}
		found++
		return err
	})
	if err != nil || found < 2 {
		t.Errorf("%d files, %v", found, err)
	}
}

// TestTokenOfComponents opens the APIs, and nothing else.
func TestTokenOfComponents(t *testing.T) {
	address, _ := serveLocal(t, "127.0.0.1:0", "mine")
	of := jobToken("mine")
	for path, want := range map[string]string{
		"/v2/storage/components": "200", "/queue/jobs": "200", "/faults": "403", "/faults/": "403", "/?token=" + of: "401", "/tables": "303",
	} {
		response := say(t, address, fmt.Sprintf("GET %s HTTP/1.0\r\nHost: %s\r\nX-StorageApi-Token: %s\r\nCookie: local_platform_8088=%s\r\n\r\n", path, address, of, of))
		if !strings.HasPrefix(response, "HTTP/1.0 "+want) {
			t.Errorf("%s: %.100q, want %s", path, response, want)
		}
	}
}
