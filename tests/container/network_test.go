package container

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var names atomic.Int64

// unique is a name that nothing else of this engine has.
func unique(what string) string {
	return fmt.Sprintf("devstack-test-%s-%d-%d", what, os.Getpid(), names.Add(1))
}

// network makes a private network, and returns its name and the address of this
// machine in it.
func network(t *testing.T, options ...string) (name, gateway string) {
	t.Helper()
	name = unique("net")
	must(t, "", "docker", append([]string{"network", "create", name}, options...)...)
	cleanUp(t, "docker", "network", "rm", name)
	gateway = must(t, "", "docker", "network", "inspect", "-f", "{{(index .IPAM.Config 0).Gateway}}", name)
	return name, strings.TrimSpace(gateway)
}

// target is an API of this test; hung reports requests that are not answered,
// large how many items the large response had.
type target struct {
	*httptest.Server
	hung  chan struct{}
	large chan int
}

// api serves two pages of items, a large response, and one that never comes.
func api(t *testing.T, host string) target {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	a := target{hung: make(chan struct{}, 1), large: make(chan int, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("/items", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "0" {
			fmt.Fprint(w, `{"items":[{"id":1,"tags":["a"]},{"id":2,"tags":[]}]}`)
			return
		}
		fmt.Fprint(w, `{"items":[]}`)
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		size, err := strconv.Atoi(r.URL.Query().Get("bytes"))
		if err != nil {
			http.Error(w, "how many bytes?", http.StatusBadRequest)
			return
		}
		if rows, err := writeLarge(w, r.URL.Query().Get("format"), size); err == nil { // else the component is gone: its test reports it
			a.large <- rows
		}
	})
	mux.HandleFunc("/hangs", func(_ http.ResponseWriter, r *http.Request) {
		a.hung <- struct{}{}
		<-r.Context().Done()
	})
	a.Server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	a.Start()
	t.Cleanup(a.Close)
	return a
}

func (a target) untilHung(t *testing.T) {
	t.Helper()
	select {
	case <-a.hung:
	case <-time.After(20 * time.Second):
		t.Fatal("no request came")
	}
}

// hangs is a configuration whose only request is never answered.
func hangs(baseURL string) string {
	return fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"x","jobs":[{"endpoint":"hangs"}]}}}`, baseURL)
}

// served starts a platform on this machine that runs the image in a network, as
// a user who is not root.
func (i images) served(t *testing.T, network, gateway string) (p platform, data string) {
	t.Helper()
	data = t.TempDir()
	const token = "of this test" // it would warn of the default one, which everybody knows
	cmd := exec.Command(i.program, "serve", "--data", data, "--listen", gateway+":0", "--runner", "docker", "--image", i.extractor,
		"--docker-network", network, "--token", token, "--memory", "64m", "--gelf-listen", gateway+":0", "--gelf-host", gateway)
	if os.Getuid() == 0 {
		// Who may talk to the engine is settled by the group of its socket.
		info, err := os.Stat("/var/run/docker.sock")
		if err != nil {
			t.Skip("the engine has no socket here: ", err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: info.Sys().(*syscall.Stat_t).Gid}}
		if err := os.Chown(data, 65532, 65532); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{filepath.Dir(data), filepath.Dir(i.program), filepath.Dir(filepath.Dir(i.program))} {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Env = append(os.Environ(), "HOME="+data)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("the platform ended with %v\n%s", err, &stderr)
		}
	})
	line, readErr := bufio.NewReader(stdout).ReadBytes('\n')
	var addresses struct{ Storage string }
	if err := json.Unmarshal(line, &addresses); err != nil {
		t.Fatalf("%q: %v, %v", line, readErr, err)
	}
	return platform{addresses.Storage, token}, data
}

// sampleAPI starts the sample API in a network: http://sample-api:8089.
func (i images) sampleAPI(t *testing.T, network string) {
	t.Helper()
	shop := unique("shop")
	must(t, "", "docker", "run", "--detach", "--name", shop, "--network", network, "--network-alias", "sample-api", "--read-only",
		"--cap-drop", "ALL", i.devstack, "sample-api", "--listen", "0.0.0.0:8089")
	cleanUp(t, "docker", "rm", "--force", "--volumes", shop)
	eventually(t, "the sample API answers", 10*time.Second, func() bool {
		_, _, err := run(t, "", "docker", "exec", shop, "/devstack", "healthy", "http://127.0.0.1:8089/")
		return err == nil
	})
}

// noWayOut: in a network without a way out of it, with the target API as the only
// neighbour, a run finds everything that it needs.
func (i images) noWayOut(t *testing.T) {
	name, _ := network(t, "--internal")
	i.sampleAPI(t, name)
	dir := dataDir(t, `{"parameters":{"api":{"baseUrl":"http://sample-api:8089"},"config":{"outputBucket":"shop","jobs":[{"endpoint":"products"}]}}}`)
	if stdout, stderr, err := run(t, "", "docker", "run", "--rm", "--network", name, "--read-only", "--cap-drop", "ALL", "-v", dir+":/data", i.extractor); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out/tables/shop.products"))
	if err != nil || !strings.HasPrefix(string(text), `"sku",`) {
		t.Errorf("got %q, %v", text, err)
	}
}

// platformBesideContainers: a queue of this machine, the sample API and the
// components in containers of one network.
func (i images) platformBesideContainers(t *testing.T) {
	name, gateway := network(t)
	a := api(t, gateway)
	i.sampleAPI(t, name)
	p, data := i.served(t, name, gateway)

	t.Run("tables of the sample API", func(t *testing.T) {
		id := p.inline(t, `{"parameters":{"api":{"baseUrl":"http://sample-api:8089"},"config":{"outputBucket":"shop","jobs":[{"endpoint":"products"}]}}}`)
		if j := p.finished(t, id); j.Status != "success" {
			t.Fatalf("%+v\n%s", j, p.events(t, id))
		}
		if got := p.table(t, "in.c-shop.products"); !strings.HasPrefix(got, `"sku",`) {
			t.Errorf("table:\n%s", got)
		}
	})
	t.Run("events", func(t *testing.T) {
		id := p.inline(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"pagination":{"method":"offset","limit":2}},
			"config":{"outputBucket":"own","jobs":[{"endpoint":"items","dataField":"items"}]}}}`, a.URL))
		j, events := p.finished(t, id), p.events(t, id)
		// Only GELF has levels.
		if j.Status != "success" || !strings.Contains(events, "warn: dataField 'items' contains no data!") {
			t.Errorf("%+v\n%s", j, events)
		}
	})
	t.Run("killed", func(t *testing.T) {
		id := p.inline(t, hangs(a.URL))
		a.untilHung(t)
		running := strings.TrimSpace(must(t, "", "docker", "ps", "--quiet", "--filter", "ancestor="+i.extractor, "--filter", "network="+name))
		limits := must(t, "", "docker", "inspect", "-f", "{{.HostConfig.Memory}} {{.HostConfig.ReadonlyRootfs}} {{.Config.User}}", running)
		if !strings.HasPrefix(limits, "67108864 true ") || strings.HasPrefix(limits, "67108864 true 0:") {
			t.Errorf("memory, read-only root and user: %s", limits)
		}
		started := time.Now()
		p.call(t, http.MethodPost, "/queue/jobs/"+id+"/kill", "application/json", nil)
		eventually(t, "the container is gone", time.Minute, func() bool {
			return must(t, "", "docker", "ps", "--all", "--quiet", "--filter", "id="+running) == ""
		})
		if took := time.Since(started); took > grace*3/4 {
			t.Errorf("it took %v", took)
		}
		if j := p.finished(t, id); j.Status != "terminated" {
			t.Errorf("%+v", j)
		}
	})
	left, err := os.ReadDir(filepath.Join(data, "runs"))
	if err != nil || len(left) > 0 {
		t.Errorf("left of the runs: %v, %v", left, err)
	}
}

// grace is how long docker stop waits before it kills a container that does not end by
// itself. A container that ends at once needs much less, also on a busy machine.
const grace = 10 * time.Second

// stoppedComponent: docker stop ends a component at once, and leaves no tables.
func (i images) stoppedComponent(t *testing.T) {
	network, gateway := network(t)
	a := api(t, gateway)
	dir, name := dataDir(t, hangs(a.URL)), unique("stopped")
	must(t, "", "docker", "run", "--detach", "--name", name, "--network", network, "--read-only", "--cap-drop", "ALL", "-v", dir+":/data", i.extractor)
	cleanUp(t, "docker", "rm", "--force", "--volumes", name)
	a.untilHung(t)
	started := time.Now()
	must(t, "", "docker", "stop", name)
	if took := time.Since(started); took > grace*3/4 {
		t.Errorf("it took %v", took)
	}
	if code := strings.TrimSpace(must(t, "", "docker", "wait", name)); code != "1" {
		t.Errorf("exit code %s", code)
	}
	nothingIn(t, dir)
}
