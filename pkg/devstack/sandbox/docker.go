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

// hostGateway is the host name of this machine inside a container.
const hostGateway = "host.docker.internal"

// commandTimeout is the timeout of docker commands that do not wait for the container.
const commandTimeout = 30 * time.Second

// Docker runs the component as a container with the docker program. The file system of the
// image is read-only, the user is the user of this process, and capabilities are dropped.
// /data and /tmp belong to the run. Docker must have access to the folder of the runs under
// the same path as this process.
type Docker struct {
	// Image is the image of the component. It is required.
	Image string
	// Memory is the memory limit, for example 256m. If it is empty, the default of docker
	// is used: no limit.
	Memory string
	// Network is the network of the container. If it is empty, the default of docker is
	// used.
	Network string
	// Listen is the address of the log server of a run (host:port, port 0 for any free
	// port). If it is empty, any free port on all interfaces is used. Listen and Host are
	// for GELF only.
	Listen string
	// Host is the name or address that a container uses for the log server. If it is empty,
	// the machine that docker runs on is used.
	Host string
	// Args are additional arguments of docker run, before the image.
	Args []string
	// Program is the docker program. If it is empty, docker is used.
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

// Start implements Engine. If docker fails to create the container, Component.Wait returns
// the error.
func (d Docker) Start(l Launch) (Component, error) {
	if d.Image == "" {
		return nil, failure.Applicationf("cannot start the component: no image is given")
	}
	env := maps.Clone(l.Env)
	env["KBC_DATADIR"] = "/data/"
	args, err := d.runArgs(l, env)
	if err != nil {
		return nil, err
	}
	c := &container{docker: d, name: l.Name}
	cmd := exec.Command(cmp.Or(d.Program, "docker"), args...)
	// The container gets the values from the environment of the docker program, because
	// every user of the machine can read arguments.
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

// runArgs returns the arguments of docker run. They do not remove the container after its
// end, because docker inspect then reports whether it ran out of memory.
func (d Docker) runArgs(l Launch, env map[string]string) ([]string, error) {
	args := []string{"run", "--quiet", "--name", l.Name, "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"}
	if uid := os.Getuid(); uid >= 0 { // there are no ids on Windows
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
	return slices.Concat(args, d.Args, []string{d.Image}, l.args("/data")), nil
}

// bind returns a value of docker's option --mount, which is a line of CSV.
func bind(source, target string) (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	err := w.Write([]string{"type=bind", "source=" + source, "target=" + target})
	if w.Flush(); err != nil || w.Error() != nil {
		return "", failure.Applicationf("cannot mount %s: %w", source, errors.Join(err, w.Error()))
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// command runs docker and returns its stdout. It does not use the context of the run,
// because its commands clean up after the run.
func (d Docker) command(timeout time.Duration, args ...string) ([]byte, error) {
	var out, complaint head
	c, err := startChild(exec.Command(cmp.Or(d.Program, "docker"), args...), out.write, complaint.write)
	if err != nil {
		return nil, fmt.Errorf("cannot start docker: %w", err)
	}
	timer := time.AfterFunc(timeout, func() { _ = c.Kill() }) // if it is still running, Wait reports the kill
	defer timer.Stop()
	code, _, err := c.Wait()
	switch {
	case err != nil:
		return nil, err
	case code != 0:
		return nil, fmt.Errorf("docker %s failed with exit code %d: %s", args[0], code, bytes.TrimSpace(complaint.text))
	}
	return out.text, nil
}
