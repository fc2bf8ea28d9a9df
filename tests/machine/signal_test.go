//go:build linux

package machine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// soon is how long a run may take to end once it was asked to, on a busy machine.
const soon = 10 * time.Second

// pipe is a pipe that no one reads.
func pipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return w
}

// fill writes to a pipe until there is no room for another byte.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	// Another description of the same pipe, which does not wait for room.
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", w.Fd()), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	must(t, err)
	defer func() { must(t, unix.Close(fd)) }()
	for size := 4096; ; {
		switch _, err := unix.Write(fd, make([]byte, size)); {
		case err == nil, errors.Is(err, unix.EINTR):
		case !errors.Is(err, unix.EAGAIN):
			t.Fatal(err)
		case size == 1:
			return
		default:
			size = 1
		}
	}
}

// exitOf waits for a process and returns its exit code.
func exitOf(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	timer := time.AfterFunc(soon, func() {
		t.Errorf("the process did not end within %v", soon)
		_ = cmd.Process.Kill() // it may just have ended
	})
	defer timer.Stop()
	if err := cmd.Wait(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// TestFullPipe: the reader of the events has stopped. A run that is asked to end
// does so nevertheless, and clears up.
func TestFullPipe(t *testing.T) {
	t.Parallel()
	for name, both := range map[string]bool{"stdout": false, "stdout and stderr": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, arrived, letGo := blockedAPI(t)
			data := dataDir(t, oneTable(url))
			events := pipe(t)
			cmd := program{}.command(t.Context(), data)
			var stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = events, &stderr
			if both {
				cmd.Stderr = events
			}
			must(t, cmd.Start())
			<-arrived
			fill(t, events)
			letGo()
			must(t, cmd.Process.Signal(syscall.SIGTERM))
			if exit := exitOf(t, cmd); exit != 1 {
				t.Errorf("exit code %d: %s", exit, &stderr)
			}
			if !both && stderr.String() != "the run was interrupted: terminated signal received; no table and no state was written\n" {
				t.Errorf("stderr is %q", &stderr)
			}
			for name := range files(t, data) {
				if strings.Contains(name, ".extractor-") || strings.HasPrefix(name, "out/tables/") {
					t.Errorf("the run has left %s", name)
				}
			}
		})
	}
}

// TestSecondInterrupt: who asks again does not want to wait.
func TestSecondInterrupt(t *testing.T) {
	t.Parallel()
	url, arrived, letGo := blockedAPI(t)
	data := dataDir(t, oneTable(url))
	events := pipe(t)
	cmd := program{}.command(t.Context(), data)
	cmd.Stdout = events
	must(t, cmd.Start())
	<-arrived
	fill(t, events) // so that the run does not end at once
	letGo()
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			default: // as long as the first one was not seen, the second one is none
				_ = cmd.Process.Signal(syscall.SIGINT)
				time.Sleep(time.Millisecond)
			}
		}
	}()
	exit := exitOf(t, cmd)
	close(stop)
	if exit != 130 {
		t.Errorf("exit code %d, want 130", exit)
	}
	program{}.run(t, data).mustSucceed(t) // which clears up
}

// TestSignalsThatAreNotHeard: a run that was started to survive its terminal does.
func TestSignalsThatAreNotHeard(t *testing.T) {
	t.Parallel()
	url, arrived, letGo := blockedAPI(t)
	data := dataDir(t, oneTable(url))
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `trap "" HUP; exec "$@"`, "sh", extractor, "run", "--data", data)
	must(t, cmd.Start())
	<-arrived
	must(t, cmd.Process.Signal(syscall.SIGHUP))
	letGo()
	if exit := exitOf(t, cmd); exit != 0 {
		t.Errorf("exit code %d", exit)
	}
}
