//go:build unix

package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

func TestRecordsAndExit(t *testing.T) {
	const gelf = `{"version":"1.1","host":"h","timestamp":1,`
	tests := []struct {
		name, logging, script string
		want                  string // the records
		code                  int
		message               string
	}{
		{"nothing", LogStdout, "", "", 0, ""},
		{"lines of stdout", LogStdout, `out "one\n\n  two \nthree"`, "info: one\ninfo: two\ninfo: three\n", 0, ""},
		{"stderr of a success", LogStdout, "out \"one\\n\"\nerr \"bad\\nworse\\n\"", "info: one\nerror: bad\nworse\n", 0, ""},
		{"stderr is the message", LogStdout, "out \"one\\n\"\nerr \" bad\\n\"\nexit 1", "info: one\n", 1, "bad"},
		{"stdout is the message", LogStdout, "out \"one\\ntwo\\n\"\nerr \" \\n\"\nexit 2", "info: one\ninfo: two\n", 2, "one\ntwo"},
		{"no message", LogStdout, "exit 255", "", 255, noMessage},
		{"invalid UTF-8", LogStdout, `out "a\xffb\n"`, "info: a\uFFFDb\n", 0, ""},
		{"ended by a signal", LogStdout, "signal 9\nhang", "", 137, noMessage},
		{"no log server", LogStdout, "connect", "", 2, "*"},

		{"messages of all levels", LogGELF, "connect\n" +
			"gelf " + gelf + `"level":7,"short_message":"seven"}` + "\n" +
			"gelf " + gelf + `"level":6,"short_message":"six","_a":1,"_b":{"c":true}}` + "\n" +
			"gelf " + gelf + `"level":5,"short_message":"five"}` + "\n" +
			"gelf " + gelf + `"level":4,"short_message":"four"}` + "\n" +
			"gelf " + gelf + `"level":3,"short_message":"three"}` + "\n" +
			"gelf " + gelf + `"level":2,"short_message":"two","_a":1}` + "\n" +
			"gelf " + gelf + `"level":0,"short_message":"zero"}` + "\n" +
			"gelf nonsense",
			`debug: seven
info: six{"a":"1","b":{"c":"true"}}
warn: five
warn: four
error: three
error: Application error
error: Invalid message: nonsense
`, 0, ""},
		{"GELF is the message", LogGELF, "connect\ngelf " + gelf + `"level":4,"short_message":"four"}` + "\ngelf " + gelf + `"level":5,"short_message":"five"}` + "\nexit 1", "warn: four\nwarn: five\n", 1, "four"},
		{"a camouflaged message", LogGELF, "connect\ngelf " + gelf + `"level":1,"short_message":"one"}` + "\nexit 2", "error: Application error\n", 2, "one"},
		{"stderr before GELF", LogGELF, "connect\ngelf " + gelf + `"level":3,"short_message":"three"}` + "\nerr bad\nexit 1", "error: three\nerror: bad\n", 1, "bad"},
		{"output beside GELF", LogGELF, "connect\nout \"a\\nb\\n\"\nerr \"c\\n\"\ngelf " + gelf + `"level":6,"short_message":"six"}`, "info: six\ninfo: a\nb\nerror: c\nerror: c\n", 0, ""},
		{"a message without its end", LogGELF, "connect\nsend " + gelf + `"level":6,"short_message":"six"}`, "", 0, ""},
		{"no connection", LogGELF, "exit 1", "", 1, noMessage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := runScript(t, newSandbox(t, tt.logging), tt.script)
			if got := r.lines(); got != tt.want {
				t.Errorf("records:\n%swant:\n%s", got, tt.want)
			}
			if r.exit.Code != tt.code || r.exit.TimedOut || r.exit.OutOfMemory {
				t.Errorf("exit %+v, want the code %d", r.exit, tt.code)
			}
			if r.exit.Message != tt.message && (tt.message != "*" || r.exit.Message == "") {
				t.Errorf("message %q, want %q", r.exit.Message, tt.message)
			}
		})
	}
}

func TestPanicIsAMessage(t *testing.T) {
	r := runScript(t, newSandbox(t, LogStdout), "panic oh")
	if r.exit.Code != 2 || !strings.HasPrefix(r.exit.Message, "panic: oh") {
		t.Errorf("exit %+v", r.exit)
	}
}

// TestRecordsComeLive: the component is still running when its line is given.
func TestRecordsComeLive(t *testing.T) {
	for _, tt := range []struct{ logging, say string }{
		{LogStdout, `out "one\n"`},
		{LogGELF, "connect\ngelf " + `{"timestamp":1,"level":6,"short_message":"one"}`},
	} {
		t.Run(tt.logging, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := runWatched(t, ctx, newSandbox(t, tt.logging), "on-term bye\n"+tt.say+"\nhang", func(record Record) {
				if record.Message == "one" {
					cancel()
				}
			})
			if r.exit.Code != 3 || r.lines() != "info: one\ninfo: bye\n" {
				t.Errorf("exit %+v, records:\n%s", r.exit, r.lines())
			}
		})
	}
}

func TestEndings(t *testing.T) {
	const long = 20 * time.Second
	tests := []struct {
		name, script   string
		timeout, grace time.Duration
		cancel         bool
		code           int
		timedOut       bool
	}{
		{"asked to end", "on-term bye\nout \"on\\n\"\nhang", long, long, true, 3, false},
		{"does not handle the signal", "out \"on\\n\"\nhang", long, long, true, 143, false},
		{"does not listen", "ignore-term\nout \"on\\n\"\nhang", long, 50 * time.Millisecond, true, 137, false},
		{"runs too long", "on-term bye\nhang", 200 * time.Millisecond, long, false, 137, true},
		{"no limit", "out on", 0, long, false, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			watch := func(Record) {
				if tt.cancel {
					cancel()
				}
			}
			s := newSandbox(t, LogStdout)
			s.grace = tt.grace
			r := runWatched(t, ctx, s, tt.script, watch, func(s *Spec) { s.Timeout = tt.timeout })
			if r.exit.Code != tt.code || r.exit.TimedOut != tt.timedOut {
				t.Errorf("exit %+v, want the code %d, timed out %t", r.exit, tt.code, tt.timedOut)
			}
		})
	}
}

// TestClock: times come from the clock that was given.
func TestClock(t *testing.T) {
	s := newSandbox(t, LogStdout)
	now := fixed()
	s.now = func() time.Time { now = now.Add(time.Second); return now }
	r := runScript(t, s, `out "one\ntwo\n"`)
	if len(r.records) != 2 || !r.records[0].Time.Equal(fixed().Add(time.Second)) || !r.records[1].Time.Equal(fixed().Add(2*time.Second)) {
		t.Errorf("records %+v", r.records)
	}
}

// TestSideBySide: what runs at the same time does not mix.
func TestSideBySide(t *testing.T) {
	s := newSandbox(t, LogGELF)
	var done sync.WaitGroup
	for _, word := range []string{"one", "two", "three"} {
		done.Go(func() {
			say := `gelf {"timestamp":1,"level":6,"short_message":"` + word + `"}` + "\n"
			r := runScript(t, s, "connect\n"+strings.Repeat(say, 50)+"write out/"+word)
			if r.lines() != strings.Repeat("info: "+word+"\n", 50) {
				t.Errorf("records of %s:\n%s", word, r.lines())
			}
			if written, err := filepath.Glob(filepath.Join(r.data.Dir, "out", "*e")); err != nil || word != "two" && len(written) != 1 {
				t.Errorf("%s has written %v, %v", word, written, err)
			}
		})
	}
	done.Wait()
}

// TestSlowLog: a reader that needs longer than the component runs loses nothing.
func TestSlowLog(t *testing.T) {
	const say = `gelf {"timestamp":1,"level":6,"short_message":"word"}` + "\n"
	first := true
	r := runWatched(t, t.Context(), newSandbox(t, LogGELF), "connect\npid\n"+strings.Repeat(say, 500), func(Record) {
		if first {
			time.Sleep(100 * time.Millisecond)
		}
		first = false
	})
	if len(r.records) != 501 {
		t.Errorf("%d records, want 501", len(r.records))
	}
}

func TestRunRefuses(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	missing := Process{path: filepath.Join(t.TempDir(), "none")}
	tests := []struct {
		name   string
		ctx    context.Context
		engine Engine
		want   string
	}{
		{"an ended context", cancelled, missing, "the component was not started: context canceled"},
		{"a program that is not there", t.Context(), missing, "no such file"},
		{"a log server at no address", t.Context(), Docker{Image: "i", Listen: "nowhere"}, "cannot listen for the log"},
		{"no image", t.Context(), Docker{}, "no image"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sandboxFor(t, tt.engine, LogGELF)
			_, _, err := s.Run(tt.ctx, Spec{}, func(Record) {})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestLastMessages: what is sent in the last moment arrives, over a connection of
// its own too, which may not have been accepted when the component is gone.
func TestLastMessages(t *testing.T) {
	const say = `gelf {"timestamp":1,"level":6,"short_message":"word"}` + "\n"
	s := newSandbox(t, LogGELF)
	for range 10 {
		r := runScript(t, s, "connect\n"+say+"connect\n"+strings.Repeat(say, 200)+"connect\n"+say)
		if len(r.records) != 202 {
			t.Fatalf("%d records, want 202", len(r.records))
		}
	}
}

// TestNothingIsLeft looks for goroutines, open files and processes.
func TestNothingIsLeft(t *testing.T) {
	s := newSandbox(t, LogGELF)
	runScript(t, s, "connect") // what the first use opens for good is open now
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	r := runScript(t, s, "connect\nchild\nconnect\nexit 1")
	if pid := pidIn(t, r.exit.Message); !goneSoon(pid) {
		t.Error("its child is still running")
	}
	for range 100 { // the last goroutines have nothing left to do but to end
		if runtime.NumGoroutine() <= goroutines && openFiles(t) <= files {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines and %d files, before %d and %d", runtime.NumGoroutine(), openFiles(t), goroutines, files)
}

// TestEscapedChild: a process that left the group and keeps the output open does
// not keep the run open.
func TestEscapedChild(t *testing.T) {
	slowtest.Skip(t, "it waits for a second")
	t.Parallel()
	r := runScript(t, newSandbox(t, LogStdout), "escape")
	if len(r.records) != 1 {
		t.Fatalf("records:\n%s", r.lines())
	}
	if err := syscall.Kill(pidIn(t, r.records[0].Message), syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if r.exit.Code != 0 {
		t.Errorf("exit %+v", r.exit)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("the system does not list the open files: " + err.Error())
	}
	return len(entries)
}

// TestHugeOutput: memory does not depend on how much is printed.
func TestHugeOutput(t *testing.T) {
	slowtest.Skip(t, "a component prints megabytes")
	tests := []struct {
		name, logging, script string
		records               int
	}{
		{"one line", LogStdout, `flood 64 "x"`, 1},
		{"blank lines", LogStdout, `flood 8 "\n"`, 0},
		{"with a log server", LogGELF, `flood 64 "word\n"`, 1},
		{"lines", LogStdout, `flood 1 "` + strings.Repeat("word ", 200) + `\n"`, 1046},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t, tt.logging)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := runScript(t, s, tt.script+"\nexit 1")
			runtime.ReadMemStats(&after)
			if len(r.records) != tt.records {
				t.Errorf("%d records, want %d", len(r.records), tt.records)
			}
			for _, text := range append(r.records, Record{Message: r.exit.Message}) {
				if n := len(text.Message); n > messageCharacters {
					t.Fatalf("a message of %d characters", n)
				}
			}
			if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > 32 {
				t.Errorf("%d MiB were allocated", allocated)
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	const plain, encoded, escaped = `p"ss w/rd`, "cCJzcyB3L3Jk", `p\"ss w\/rd`
	gelf := `connect
gelf {"timestamp":1,"level":6,"short_message":"p\"ss w/rd cCJzcyB3L3Jk","_p\"ss w/rd":"p\"ss w/rd","_n":123456,"_deep":"{\"a\":[\"p\\\"ss w\\/rd\"]}"}
gelf broken p"ss w/rd
gelf {"timestamp":1,"level":3,"short_message":"p\"ss w/rd"}
`
	tests := []struct{ name, logging, script string }{
		{"stdout", LogStdout, "out " + plain + " 123456 " + encoded + " " + escaped},
		{"stderr", LogStdout, "err " + plain + " 123456 " + encoded + " " + escaped},
		{"message of stdout", LogStdout, "out " + plain + "\nexit 1"},
		{"message of stderr", LogStdout, "err " + plain + "\nexit 1"},
		{"GELF", LogGELF, gelf},
		{"message of GELF", LogGELF, gelf + "exit 1"},
		{"a long line", LogStdout, `flood 2 "` + strings.Repeat("123456", 99) + `12345"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := runScript(t, newSandbox(t, tt.logging), tt.script, func(s *Spec) { s.Secrets = []string{plain, "123456"} })
			text := r.lines() + r.exit.Message
			for _, secret := range []string{plain, encoded, escaped, "ss w", "12345"} {
				if tt.name == "a long line" && secret == "12345" {
					secret = "123456"
				}
				if strings.Contains(text, secret) {
					t.Errorf("%s is shown:\n%s", secret, text)
				}
			}
			if !strings.Contains(text, "[hidden]") {
				t.Errorf("nothing is masked:\n%s", text)
			}
		})
	}
}
