package app

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/report"
)

// checkRecord refuses a path for a recording if it belongs to the run or exists and is not
// a recording. Writing a recording replaces the file.
func checkRecord(r *run) error {
	for _, taken := range []string{"in", filepath.Join("out", "tables"), filepath.Join("out", "files"), filepath.Join("out", "state.json")} {
		if err := rejectRunPath(r, "--record expects a file", taken, r.Record); err != nil {
			return err
		}
	}
	info, err := os.Lstat(filepath.Clean(r.Record))
	switch {
	case err != nil: // does not exist, or creating it reports the reason
		return nil
	case !info.Mode().IsRegular():
		return failure.Userf("--record expects a file, '%s' is %s", r.Record, kindOfFile(info.Mode()))
	}
	known, err := isRecording(r.Record)
	switch {
	case err != nil:
		return failure.Userf("cannot record to '%s': %w", r.Record, err)
	case !known:
		return failure.Userf("--record would replace '%s', which is not a recording: give the name of a new file, or of one that an earlier --record wrote", r.Record)
	}
	return nil
}

// isRecording reports whether a file is empty or begins like a HAR file.
func isRecording(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close() // it is only read
	head := make([]byte, 256)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	text := strings.Join(strings.Fields(string(head[:n])), "")
	return text == "" || strings.HasPrefix(text, `{"log":`), nil
}

// checkReport refuses a directory for a report if it belongs to the run, or if it
// or one of the names in it is already used for another purpose.
func checkReport(r *run) error {
	for _, taken := range []string{"in", filepath.Join("out", "tables"), filepath.Join("out", "files")} {
		if err := rejectRunPath(r, "--report expects a directory", taken, r.Report); err != nil {
			return err
		}
	}
	for _, taken := range []string{r.DataDir, filepath.Join(r.DataDir, "out")} {
		same, err := samePath(taken, r.Report)
		if err != nil {
			return err
		}
		if same {
			return failure.Userf("--report expects a directory of its own, found '%s', which is a directory of the run", r.Report)
		}
	}
	info, err := os.Lstat(filepath.Clean(r.Report))
	if err == nil && !info.IsDir() {
		return failure.Userf("--report expects a directory, '%s' is %s and not a directory", r.Report, kindOfFile(info.Mode()))
	}
	for _, name := range []string{report.JSONFile, report.HTMLFile} {
		path := filepath.Join(r.Report, name)
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return failure.Userf("--report writes a file '%s', which is %s: remove it or give another directory", path, kindOfFile(info.Mode()))
		}
	}
	return nil
}

func kindOfFile(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode.IsRegular():
		return "a file"
	default:
		return "a special file"
	}
}

// rejectRunPath refuses a path that is inside the part of the data directory that belongs
// to the run.
func rejectRunPath(r *run, expects, taken, path string) error {
	taken = filepath.Join(r.DataDir, taken)
	within, err := inside(taken, path)
	if err != nil {
		return err
	}
	if within {
		return failure.Userf("%s outside of %s, which belongs to the run; found '%s'", expects, taken, path)
	}
	return nil
}

func inside(dir, path string) (bool, error) {
	relative, err := relativeTo(dir, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator)), err
}

// samePath reports whether two paths are the same after symbolic links are resolved.
func samePath(one, other string) (bool, error) {
	relative, err := relativeTo(one, other)
	return relative == ".", err
}

// relativeTo returns a path relative to a directory, after symbolic links are resolved.
func relativeTo(dir, path string) (string, error) {
	resolved := []string{dir, path}
	for i, p := range resolved {
		absolute, err := filepath.Abs(p)
		if err == nil {
			resolved[i], err = physical(absolute)
		}
		if err != nil {
			return "", failure.Userf("cannot find '%s': %w", p, err)
		}
	}
	return filepath.Rel(resolved[0], resolved[1])
}

// physical resolves the symbolic links of an absolute path. The last elements of the path
// need not exist.
func physical(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if !os.IsNotExist(err) || filepath.Dir(path) == path {
		return resolved, err
	}
	parent, err := physical(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}
