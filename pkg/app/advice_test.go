package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestAdvised(t *testing.T) {
	write := func(errno syscall.Errno) error {
		return failure.Applicationf("writing table %q: %w", "t", &os.PathError{Op: "write", Path: "/data/out/t", Err: errno})
	}
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"full":                   {write(syscall.ENOSPC), "make room there"},
		"quota":                  {write(syscall.EDQUOT), "make room there"},
		"too large":              {write(syscall.EFBIG), "ulimit -f"},
		"read-only":              {write(syscall.EROFS), "mount the data directory"},
		"denied":                 {write(syscall.EACCES), fmt.Sprintf("let user id %d", os.Geteuid())},
		"a file in the way":      {write(syscall.ENOTDIR), "remove the file"},
		"a directory in the way": {write(syscall.EISDIR), "remove the directory"},
		"files of the process":   {write(syscall.EMFILE), "raise its limit (ulimit -n)"},
		"files of the machine":   {write(syscall.ENFILE), "fs.file-max"},
		"sockets":                {&net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}, "raise its limit (ulimit -n)"},
		"one of several":         {errors.Join(errors.New("broken"), write(syscall.ENOSPC)), "make room there"},
		"a rename":               {&os.LinkError{Op: "rename", Old: "/data/a", New: "/data/b", Err: syscall.EACCES}, "let user id"},
		"speaks for itself":      {write(syscall.EIO), ""},
		"not a file":             {fmt.Errorf("connect: %w", syscall.EACCES), ""},
		"the user's":             {failure.Userf("cannot record to 'x': %w", &os.PathError{Op: "open", Path: "x", Err: syscall.EACCES}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := advised(row.err)
			if row.want == "" {
				if got != row.err {
					t.Errorf("got %v, want it as it was", got)
				}
				return
			}
			if !strings.HasPrefix(got.Error(), row.err.Error()+"; ") || !strings.Contains(got.Error(), row.want) {
				t.Errorf("got %q, want %q after the error", got, row.want)
			}
			if failure.ExitCode(got) != failure.ExitApplication {
				t.Errorf("exit code %d", failure.ExitCode(got))
			}
		})
	}
}

// TestNoFileForAConnection: what to try is in the error of the run, which keeps
// its place.
func TestNoFileForAConnection(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{syscall.EMFILE: "ulimit -n", syscall.ENFILE: "fs.file-max"} {
		exit, stdout, stderr, _ := trial(t, oneJob, func(o *Options) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Name: "api.test", UnwrapErr: os.NewSyscallError("socket", errno)}}
			}
		})
		if exit != failure.ExitUser || !strings.Contains(stderr, want) || !strings.Contains(stderr, "no connection: "+errno.Error()) || !strings.Contains(stderr, "(at /parameters/config/jobs/0)") {
			t.Errorf("exit code %d: %s", exit, stderr)
		}
		if !strings.Contains(stdout, `"pointer":"/parameters/config/jobs/0"`) {
			t.Errorf("stdout: %s", stdout)
		}
	}
}

func TestAdviceOnUser(t *testing.T) {
	const plain = "let user id 65532, which the program runs as, read and write the data directory"
	if got := adviceOnUser(65532, 4711); got != plain {
		t.Errorf("on a laptop: %s", got)
	}
	if got := adviceOnUser(65532, 1); !strings.HasPrefix(got, plain+": start the container with --user ") || !strings.Contains(got, "container-root-user") {
		t.Errorf("in a container: %s", got)
	}
}
