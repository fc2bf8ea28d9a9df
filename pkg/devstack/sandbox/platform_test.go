//go:build unix

package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// platform is the variable that makes the test binary a platform: it runs the
// script that is its value, in the folder SANDBOX_TEST_DIR, and prints what is
// recorded.
const platform = "SANDBOX_TEST_PLATFORM"

func fakePlatform() int {
	s := check(New(Options{Dir: os.Getenv("SANDBOX_TEST_DIR"), Engine: check(NewProcess(os.Args[0]))}))
	spec := Spec{Env: environment(os.Getenv(platform))}
	_, _, err := s.Run(context.Background(), spec, func(r Record) { fmt.Println(r.Message) })
	must(err)
	return 0
}

// TestComponentDiesWithPlatform: a platform that is killed cannot clean up.
func TestComponentDiesWithPlatform(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{platform + "=pid\nhang", "SANDBOX_TEST_DIR=" + t.TempDir()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid := pidIn(t, line)
	if gone(pid) {
		t.Fatal("the component is not running")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if !goneSoon(pid) {
		t.Error("the component is still running")
	}
}

// pidIn is the number at the end of a line.
func pidIn(t *testing.T, line string) int {
	t.Helper()
	words := strings.Fields(line)
	pid, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func goneSoon(pid int) bool {
	for range 200 {
		if gone(pid) {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// gone reports whether a process has ended, reaped or not.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "X")
}
