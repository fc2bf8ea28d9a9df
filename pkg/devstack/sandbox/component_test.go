//go:build unix

package sandbox

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
)

// script is the variable whose value makes the test binary behave as a
// component: a list of commands, one in each line.
const script = "SANDBOX_TEST_SCRIPT"

// quick keeps a process with the race detector from waiting before it exits.
const quick = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	commands, isComponent := os.LookupEnv(script)
	switch {
	case os.Getenv(dockerDir) != "" && len(os.Args) > 1:
		exit(fakeDocker(os.Getenv(dockerDir), os.Args[1:]))
	case os.Getenv(platform) != "":
		exit(fakePlatform())
	case isComponent:
		fakeComponent(commands)
		exit(0)
	}
	os.Exit(ramdisk.Tests(m.Run).Run())
}

// exit ends a process that plays a part. os.Exit would let a binary built with
// coverage complain on stderr, which these tests read, that it has nowhere to
// write to.
func exit(code int) { syscall.Exit(code) }

// fakeComponent does what a script says. The argument of a command is the rest
// of its line, as a Go string when it begins with a quote.
func fakeComponent(text string) {
	var conn net.Conn
	for line := range strings.SplitSeq(text, "\n") {
		command, argument, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(argument, `"`) {
			argument = check(strconv.Unquote(argument))
		}
		switch command {
		case "":
		case "out":
			fmt.Print(argument)
		case "err":
			fmt.Fprint(os.Stderr, argument)
		case "connect":
			conn = check(net.Dial("tcp", net.JoinHostPort(os.Getenv("KBC_LOGGER_ADDR"), os.Getenv("KBC_LOGGER_PORT"))))
		case "send":
			check(conn.Write([]byte(argument)))
		case "gelf":
			check(conn.Write([]byte(argument + "\x00")))
		case "env":
			fmt.Println(strings.Join(os.Environ(), "\n"))
		case "tree":
			root := os.Getenv("KBC_DATADIR")
			must(filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
				fmt.Println(check(filepath.Rel(root, path)), check(entry.Info()).Mode())
				return err
			}))
		case "cat":
			fmt.Println(string(check(os.ReadFile(filepath.Join(os.Getenv("KBC_DATADIR"), argument)))))
		case "write":
			must(os.WriteFile(filepath.Join(os.Getenv("KBC_DATADIR"), argument), []byte("written"), 0o600))
		case "scratch":
			must(os.WriteFile(filepath.Join(os.TempDir(), argument), nil, 0o600))
		case "lock":
			must(os.Chmod(filepath.Join(os.Getenv("KBC_DATADIR"), argument), 0))
		case "flood": // so many megabytes of this
			count, what, _ := strings.Cut(argument, " ")
			block := strings.Repeat(check(strconv.Unquote(what)), 1<<20/(len(what)-2))
			for range check(strconv.Atoi(count)) {
				fmt.Print(block)
			}
		case "eat": // so many megabytes of memory
			memory := make([]byte, check(strconv.Atoi(argument))<<20)
			for i := range memory {
				memory[i] = 1
			}
			fmt.Println(len(memory))
		case "child", "escape":
			child := exec.Command(check(os.Executable()))
			child.Env = []string{script + "=hang", quick}
			child.Stdout = os.Stdout
			child.SysProcAttr = &syscall.SysProcAttr{Setsid: command == "escape"}
			must(child.Start())
			fmt.Println("child", child.Process.Pid)
		case "pid":
			fmt.Println("pid", os.Getpid())
		case "ignore-term":
			signal.Ignore(syscall.SIGTERM)
		case "on-term": // say this, then exit with 3
			asked := make(chan os.Signal, 1)
			signal.Notify(asked, syscall.SIGTERM)
			go func() {
				<-asked
				fmt.Println(argument)
				exit(3)
			}()
		case "signal":
			must(syscall.Kill(os.Getpid(), syscall.Signal(check(strconv.Atoi(argument)))))
		case "hang":
			for {
				time.Sleep(time.Hour)
			}
		case "panic":
			panic(argument)
		case "exit":
			exit(check(strconv.Atoi(argument)))
		default:
			panic("unknown command " + command)
		}
	}
}

func check[T any](v T, err error) T {
	must(err)
	return v
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// newSandbox is a sandbox whose component is the test binary.
func newSandbox(t *testing.T, logging string) *Sandbox {
	t.Helper()
	engine, err := NewProcess(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	return sandboxFor(t, engine, logging)
}

func sandboxFor(t *testing.T, engine Engine, logging string) *Sandbox {
	t.Helper()
	s, err := New(Options{Dir: t.TempDir(), Engine: engine, Logging: logging})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// environment makes the test binary run a script.
func environment(commands string) map[string]string {
	name, value, _ := strings.Cut(quick, "=")
	return map[string]string{script: commands, name: value}
}

// result is what a run gave.
type result struct {
	data    Data
	exit    Exit
	records []Record
}

// lines are the records, one in each line: type, message, fields.
func (r result) lines() string {
	var b strings.Builder
	for _, record := range r.records {
		fmt.Fprintf(&b, "%s: %s%s\n", record.Type, record.Message, record.Fields)
	}
	return b.String()
}

// runScript runs a script to its end; the directory is removed with the test.
func runScript(t *testing.T, s *Sandbox, commands string, change ...func(*Spec)) result {
	t.Helper()
	return runWatched(t, t.Context(), s, commands, func(Record) {}, change...)
}

func runWatched(t *testing.T, ctx context.Context, s *Sandbox, commands string, watch func(Record), change ...func(*Spec)) result {
	t.Helper()
	spec := Spec{Config: []byte(`{"parameters":{}}`), Env: environment(commands), Timeout: 20 * time.Second}
	for _, c := range change {
		c(&spec)
	}
	var r result
	var err error
	r.data, r.exit, err = s.Run(ctx, spec, func(record Record) {
		r.records = append(r.records, record)
		watch(record)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.data.Remove(); err != nil {
			t.Error(err)
		}
	})
	return r
}
