//go:build unix

package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// dockerDir is the variable that makes the test binary the docker program: what
// it was asked is written to the file log in that directory. A file fault there
// names what goes wrong.
const dockerDir = "SANDBOX_TEST_DOCKER"

// fakeDocker has one container; its state is a file, as is its process id.
func fakeDocker(dir string, args []string) int {
	log := check(os.OpenFile(filepath.Join(dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
	check(fmt.Fprintln(log, strings.Join(args, " ")))
	fault, _ := os.ReadFile(filepath.Join(dir, "fault")) // there need not be one
	state, pid := filepath.Join(dir, "state"), filepath.Join(dir, "pid")
	switch args[0] {
	case "run":
		switch string(fault) {
		case "no image":
			fmt.Fprintln(os.Stderr, "docker: no such image.")
			return dockerFailed
		case "slow":
			fmt.Println("on")
			time.Sleep(time.Hour)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{script + "=" + os.Getenv(script), "KBC_DATADIR=" + os.Getenv("KBC_DATADIR"), quick}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		must(cmd.Start())
		must(os.WriteFile(pid, fmt.Append(nil, cmd.Process.Pid), 0o600))
		_ = cmd.Wait() // how it ended is in its state
		code := exitCode(cmd.ProcessState)
		must(os.WriteFile(state, check(json.Marshal(containerState{ExitCode: code, OOMKilled: string(fault) == "memory", StartedAt: time.Now()})), 0o600))
		return code
	case "stop", "kill":
		// As the real one, stop takes until the container has ended.
		text, err := os.ReadFile(pid)
		if err != nil {
			fmt.Fprintln(os.Stderr, "No such container")
			return 1
		}
		var number int
		check(fmt.Sscan(string(text), &number))
		if args[0] == "stop" {
			must(syscall.Kill(number, syscall.SIGTERM))
			if goneSoon(number) {
				return 0
			}
		}
		must(syscall.Kill(number, syscall.SIGKILL))
	case "inspect":
		text, err := os.ReadFile(state)
		if err != nil || string(fault) == "forgotten" {
			return 1
		}
		fmt.Println(string(text))
	case "rm":
		if string(fault) == "stuck" {
			fmt.Fprintln(os.Stderr, "it is stuck")
			return 1
		}
		must(os.RemoveAll(state))
	}
	return 0
}

func TestRunArguments(t *testing.T) {
	user := fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
	const common = "run --quiet --name n --read-only --cap-drop ALL --security-opt no-new-privileges --user "
	const mounts = " --mount type=bind,source=/r/data,target=/data --mount type=bind,source=/r/tmp,target=/tmp --env A --env B "
	tests := []struct {
		name                       string
		docker                     Docker
		want, wantListen, wantHost string
	}{
		{"image only", Docker{Image: "i"}, common + user + " --add-host host.docker.internal:host-gateway" + mounts + "i", ":0", "host.docker.internal"},
		{
			"everything", Docker{Image: "i", Memory: "256m", Network: "net", Listen: "0.0.0.0:12202", Host: "devstack", Args: []string{"--cpus", "1"}},
			common + user + " --memory 256m --network net" + mounts + "--cpus 1 i", "0.0.0.0:12202", "devstack",
		},
		{"network of the host", Docker{Image: "i", Network: "host"}, common + user + " --network host" + mounts + "i", ":0", "127.0.0.1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args, err := tt.docker.runArgs(Launch{Name: "n", Data: "/r/data", Temp: "/r/tmp"}, map[string]string{"B": "secret", "A": "secret"})
			if got := strings.Join(args, " "); err != nil || got != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
			if listen, host := tt.docker.LogServer(); listen != tt.wantListen || host != tt.wantHost {
				t.Errorf("log server %s, %s", listen, host)
			}
		})
	}
	if mount, err := bind(`/a,b "c"`, "/data"); err != nil || mount != `type=bind,"source=/a,b ""c""",target=/data` {
		t.Errorf("mount %s, %v", mount, err)
	}
}

// TestDockerEndings runs against a docker program that is the test binary.
func TestDockerEndings(t *testing.T) {
	slowtest.Skip(t, "it starts a program for each ending")
	tests := []struct {
		name, script, fault string
		cancel              bool
		timeout             time.Duration
		exit                Exit // but for the seconds
		err                 string
		asked               []string
	}{
		{"success", `out "on\n"`, "", false, 0, Exit{}, "", []string{"run", "inspect", "rm"}},
		{"failure", "err bad\nexit 1", "", false, 0, Exit{Code: 1, Message: "bad"}, "", []string{"run", "inspect", "rm"}},
		{"out of memory", "exit 137", "memory", false, 0, Exit{Code: 137, Message: noMessage, OutOfMemory: true}, "", []string{"run", "inspect", "rm"}},
		{"asked to end", "on-term bye\nout \"on\\n\"\nhang", "", true, 0, Exit{Code: 3, Message: "on\nbye"}, "", []string{"run", "stop", "inspect", "rm"}},
		{"does not listen", "ignore-term\nout \"on\\n\"\nhang", "", true, 0, Exit{Code: 137, Message: "on"}, "", []string{"run", "stop", "inspect", "rm"}},
		{"runs too long", "hang", "", false, 200 * time.Millisecond, Exit{Code: 137, Message: noMessage, TimedOut: true}, "", []string{"run", "kill", "inspect", "rm"}},
		{"ended before it began", "hang", "slow", true, 0, Exit{Code: 137, Message: "on"}, "", []string{"run", "stop", "kill", "inspect", "rm"}},
		{"no image", "exit 0", "no image", false, 0, Exit{}, "docker could not start the component: docker: no such image.", []string{"run", "inspect", "rm"}},
		{"forgotten", "err the-token\nexit 1", "forgotten", false, 0, Exit{}, "cannot say how the component ended: docker inspect failed with exit code 1: ", []string{"run", "inspect", "rm"}},
		{"cannot be removed", "exit 0", "stuck", false, 0, Exit{}, "cannot remove the container of the component: docker rm failed with exit code 1: it is stuck", []string{"run", "inspect", "rm"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv(dockerDir, dir)
			t.Setenv("GORACE", strings.TrimPrefix(quick, "GORACE="))
			if err := os.WriteFile(filepath.Join(dir, "fault"), []byte(tt.fault), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := sandboxFor(t, Docker{Image: "i", Program: os.Args[0]}, LogStdout)
			env := environment(tt.script)
			env["KBC_TOKEN"] = "the-token"
			data, exit, err := s.Run(ctx, Spec{Env: env, Timeout: tt.timeout}, func(Record) {
				if tt.cancel {
					cancel()
				}
			})
			if exit != tt.exit || tt.err == "" && err != nil || err != nil && err.Error() != tt.err {
				t.Errorf("exit %+v, %v", exit, err)
			}
			log, err := os.ReadFile(filepath.Join(dir, "log"))
			if err != nil {
				t.Fatal(err)
			}
			var asked []string
			for line := range strings.Lines(string(log)) {
				command, _, _ := strings.Cut(strings.TrimSpace(line), " ")
				asked = append(asked, command)
			}
			if fmt.Sprint(asked) != fmt.Sprint(tt.asked) || strings.Contains(string(log), "the-token") {
				t.Errorf("docker was asked:\n%swant %v", log, tt.asked)
			}
			if err := data.Remove(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRealDocker runs the fake component in a container, where there is docker.
func TestRealDocker(t *testing.T) {
	slowtest.OutsideCI(t, "it starts containers")
	if out, err := exec.CommandContext(t.Context(), "docker", "info", "--format", "{{.ServerVersion}} {{.OSType}}").CombinedOutput(); err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "linux") {
		t.Skipf("docker with Linux containers is needed: %s, %v", out, err)
	}
	image := importImage(t)
	t.Run("runs", func(t *testing.T) {
		s := sandboxFor(t, Docker{Image: image, Memory: "64m"}, LogGELF)
		const say = `connect
gelf {"timestamp":1,"level":4,"short_message":"hello"}
write out/tables/t.csv
scratch x
env
exit 1`
		r := runScript(t, s, say, func(s *Spec) { s.Env["KBC_RUNID"] = "1\n2" })
		for _, want := range []string{"warn: hello\n", "KBC_RUNID=1\n2\n", "KBC_DATADIR=/data/\n"} {
			if !strings.Contains(r.lines(), want) {
				t.Errorf("%q is not in:\n%s", want, r.lines())
			}
		}
		info, err := os.Stat(filepath.Join(r.data.Dir, "out", "tables", "t.csv"))
		if err != nil || info.Sys().(*syscall.Stat_t).Uid != uint32(os.Getuid()) || r.exit.Code != 1 {
			t.Errorf("exit %+v, table %+v, %v", r.exit, info, err)
		}
	})
	t.Run("is stopped", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := runWatched(t, ctx, sandboxFor(t, Docker{Image: image}, LogStdout), "on-term bye\nout \"on\\n\"\nhang", func(Record) { cancel() })
		if r.exit.Code != 3 || r.lines() != "info: on\ninfo: bye\n" {
			t.Errorf("exit %+v, records:\n%s", r.exit, r.lines())
		}
	})
	t.Run("needs too much memory", func(t *testing.T) {
		s := sandboxFor(t, Docker{Image: image, Memory: "32m", Args: []string{"--memory-swap", "32m"}}, LogStdout)
		if r := runScript(t, s, "eat 200"); r.exit.Code != 137 || !r.exit.OutOfMemory {
			t.Errorf("exit %+v, records:\n%s", r.exit, r.lines())
		}
	})
	t.Run("leaves nothing", func(t *testing.T) {
		out, err := exec.CommandContext(t.Context(), "docker", "ps", "--all", "--quiet", "--filter", "ancestor="+image).CombinedOutput()
		if err != nil || len(bytes.TrimSpace(out)) > 0 {
			t.Errorf("containers %s, %v", out, err)
		}
	})
}

// importImage makes an image that holds only this test as a static
// program, and removes it with the test.
func importImage(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "component")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, d := range []string{"data/", "tmp/"} {
		if err := w.WriteHeader(&tar.Header{Name: d, Typeflag: tar.TypeDir, Mode: 0o755}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.WriteHeader(&tar.Header{Name: "component", Mode: 0o755, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	image := fmt.Sprintf("devstack-sandbox-test:%d", os.Getpid())
	load := exec.CommandContext(t.Context(), "docker", "import", "--change", `ENTRYPOINT ["/component"]`, "-", image)
	load.Stdin = &archive
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("docker", "rmi", "--force", image).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return image
}
