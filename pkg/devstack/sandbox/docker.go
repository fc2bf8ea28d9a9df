package sandbox

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// hostGateway is the name by which a container finds the machine it runs on.
const hostGateway = "host.docker.internal"

// commandTimeout is how long a command to docker may take that has nothing to
// wait for.
const commandTimeout = 30 * time.Second

// Docker runs the component as a container, with the docker program: nothing of
// the image can be written, the user is that of this process, capabilities are
// dropped, /data and /tmp belong to the run. Docker must see the folder of the
// runs under the same path as this process.
type Docker struct {
	// Image is the component's image; required.
	Image string
	// Memory is the limit of memory, such as 256m; "" is docker's default, none.
	Memory string
	// Network is the network of the container; "" is docker's default.
	Network string
	// Listen is the address (host:port, port 0 for any) at which the log server
	// of a run listens; "" is any port on all interfaces, for the duration of the
	// run. It matters with GELF only, as does Host.
	Listen string
	// Host is where a container finds that server: the name or address of this
	// process in the network. "" is the machine on which docker runs.
	Host string
	// Args are more arguments for docker run, in front of the image.
	Args []string
	// Program is the docker program; "" is docker.
	Program string
}

var _ Engine = Docker{}

// LogServer implements Engine.
func (d Docker) LogServer() (listen, host string) {
	listen, host = cmp.Or(d.Listen, ":0"), d.Host
	switch {
	case host != "":
	case d.Network == "host":
		host = "127.0.0.1"
	default:
		host = hostGateway
	}
	return listen, host
}

// Start implements Engine. Whether docker could make the container is known when
// it has ended: see Component.Wait.
func (d Docker) Start(l Launch) (Component, error) {
	if d.Image == "" {
		return nil, failure.Applicationf("cannot start the component: no image is given")
	}
	env := make(map[string]string, len(l.Env)+1)
	maps.Copy(env, l.Env)
	env["KBC_DATADIR"] = "/data/"
	args, err := d.runArgs(l, env)
	if err != nil {
		return nil, err
	}
	c := &container{docker: d, name: l.Name}
	cmd := exec.Command(cmp.Or(d.Program, "docker"), args...)
	// Values reach the container through the environment of the docker program:
	// arguments can be read by everybody on the machine.
	cmd.Env = append(os.Environ(), assignments(env)...)
	c.child, err = startChild(cmd, l.Stdout, func(piece []byte) {
		c.stderr.write(piece)
		l.Stderr(piece)
	})
	if err != nil {
		return nil, failure.Applicationf("cannot start docker: %w", err)
	}
	return c, nil
}

// runArgs are the arguments for docker run. The container is kept when it has
// ended, for only then docker can tell whether its memory was exceeded.
func (d Docker) runArgs(l Launch, env map[string]string) ([]string, error) {
	args := []string{"run", "--quiet", "--name", l.Name, "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"}
	if uid := os.Getuid(); uid >= 0 { // there is none on Windows
		args = append(args, "--user", strconv.Itoa(uid)+":"+strconv.Itoa(os.Getgid()))
	}
	if d.Memory != "" {
		args = append(args, "--memory", d.Memory)
	}
	if d.Network != "" {
		args = append(args, "--network", d.Network)
	}
	if d.Host == "" && d.Network != "none" && d.Network != "host" {
		args = append(args, "--add-host", hostGateway+":host-gateway")
	}
	for _, m := range [][2]string{{l.Data, "/data"}, {l.Temp, "/tmp"}} {
		mount, err := bind(m[0], m[1])
		if err != nil {
			return nil, err
		}
		args = append(args, "--mount", mount)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		args = append(args, "--env", name)
	}
	return append(append(args, d.Args...), d.Image), nil
}

// bind is a mount as docker reads it, a line of CSV.
func bind(source, target string) (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	err := w.Write([]string{"type=bind", "source=" + source, "target=" + target})
	if w.Flush(); err != nil || w.Error() != nil {
		return "", failure.Applicationf("cannot mount %s: %w", source, errors.Join(err, w.Error()))
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// command runs docker with these arguments and gives its stdout. The context of
// the run has no say in it: these commands clean up behind it.
func (d Docker) command(timeout time.Duration, args ...string) ([]byte, error) {
	var out, complaint head
	c, err := startChild(exec.Command(cmp.Or(d.Program, "docker"), args...), out.write, complaint.write)
	if err != nil {
		return nil, fmt.Errorf("cannot start docker: %w", err)
	}
	timer := time.AfterFunc(timeout, func() { _ = killGroup(c.process) }) // then it still runs, and wait says so
	defer timer.Stop()
	code, err := c.wait()
	switch {
	case err != nil:
		return nil, err
	case code != 0:
		return nil, fmt.Errorf("docker %s failed with exit code %d: %s", args[0], code, bytes.TrimSpace(complaint.text))
	}
	return out.text, nil
}
