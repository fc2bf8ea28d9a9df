package sandbox

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Process runs the component as a process on this machine. Its environment consists of the
// environment of the run and the PATH of this process. TMPDIR and the current directory are
// a directory of its own. HOME is not set.
type Process struct {
	path string
	args []string
}

var _ Engine = Process{}

// NewProcess returns the engine for a program (a path, or a name in PATH) with arguments.
func NewProcess(program string, args ...string) (Process, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return Process{}, failure.Userf("cannot find the program of the component: %w", err)
	}
	return Process{path: path, args: args}, nil
}

// LogServer implements Engine. It returns any free port of the loopback interface.
func (Process) LogServer() (listen, host string) { return "127.0.0.1:0", "127.0.0.1" }

// Start implements Engine.
func (p Process) Start(l Launch) (Component, error) {
	env := map[string]string{"PATH": os.Getenv("PATH")}
	maps.Copy(env, l.Env)
	// The platform's value ends with a slash too.
	env["KBC_DATADIR"] = l.Data + string(os.PathSeparator)
	env["TMPDIR"] = l.Temp
	if runtime.GOOS == "windows" {
		env["TMP"], env["TEMP"] = l.Temp, l.Temp
	}
	cmd := exec.Command(p.path, slices.Concat(p.args, l.args(l.Data))...)
	cmd.Dir, cmd.Env = l.Temp, assignments(env)
	c, err := startChild(cmd, l.Stdout, l.Stderr)
	if err != nil {
		return nil, failure.Applicationf("cannot start the component: %w", err)
	}
	return c, nil
}

func assignments(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}
