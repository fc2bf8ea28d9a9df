package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// advised adds advice to errors of the machine. It returns other errors unchanged. It adds
// advice to a user error only if a connection failed because too many files are open.
func advised(err error) error {
	if text := adviceOnLimits(err); text != "" {
		if e, ok := errors.AsType[*failure.Error](err); ok && e.Kind == failure.User {
			more := *e // keeps its pointer
			more.Message += "; " + text
			return &more
		}
		return failure.Applicationf("%w; %s", err, text)
	}
	_, isPath := errors.AsType[*fs.PathError](err)
	_, isLink := errors.AsType[*os.LinkError](err)
	if !isPath && !isLink || failure.KindOf(err) == failure.User {
		return err
	}
	if text := advice(err); text != "" {
		return failure.Applicationf("%w; %s", err, text)
	}
	return err
}

// adviceOnLimits returns advice for too many open files or connections, or "" for other
// errors.
func adviceOnLimits(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE):
		return "this process has too many files and connections open: raise its limit (ulimit -n), or lower 'api.http.concurrency'"
	case errors.Is(err, syscall.ENFILE):
		return "this machine has too many files and connections open: raise its limit (fs.file-max), or run fewer programs at once"
	default:
		return ""
	}
}

// advice returns advice for an error of the file system, or "".
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room there, or use a larger disk: it holds the tables, the rows that wait for their columns and large responses"
	case errors.Is(err, syscall.EFBIG):
		return "allow the process to write larger files (ulimit -f), or use another file system"
	case errors.Is(err, syscall.EROFS):
		return "mount the data directory so that it can be written"
	case errors.Is(err, fs.ErrPermission):
		return adviceOnUser(os.Geteuid(), os.Getpid())
	case errors.Is(err, syscall.ENOTDIR):
		return "a directory is expected there: remove the file in its place"
	case errors.Is(err, syscall.EISDIR):
		return "a file is expected there: remove the directory in its place"
	default:
		return ""
	}
}

// firstProcess is the process id of the main program of a container.
const firstProcess = 1

// adviceOnUser returns advice for files that belong to another user. In a container the
// flag --user sets the user.
func adviceOnUser(user, process int) string {
	text := fmt.Sprintf("let user id %d, which the program runs as, read and write the data directory", user)
	if process == firstProcess {
		text += ": start the container with --user \"$(id -u):$(id -g)\", or on the platform take the feature container-root-user from the component, which leaves --user away"
	}
	return text
}
