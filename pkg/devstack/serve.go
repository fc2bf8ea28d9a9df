package devstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// What `devstack serve` does unless it is told otherwise.
const (
	DefaultPlatformListen = "127.0.0.1:8088"
	DefaultPlatformData   = "devstack-data"
	DefaultToken          = "local"
)

// The runners of the component.
const (
	RunnerProcess = "process"
	RunnerDocker  = "docker"
)

// ServeOptions say where and how the local platform is served, and what it runs.
type ServeOptions struct {
	// Data is the directory of everything that is stored, made when it is not
	// there. One platform at a time can work in it.
	Data string
	// Listen is host:port, port 0 any free port.
	Listen string
	// Token is what clients must send.
	Token string
	// Runner is RunnerProcess or RunnerDocker.
	Runner string
	// Program is the component of RunnerProcess, with its arguments.
	Program []string
	// Docker is the component of RunnerDocker.
	Docker sandbox.Docker
	// Host is host:port under which components reach the platform; "" is where
	// it listens.
	Host string
	// Logging is sandbox.LogGELF or sandbox.LogStdout.
	Logging string
	// ResolveVariables replaces variables before the component starts instead of
	// leaving it to the component.
	ResolveVariables bool
	// DataTypes is none, hints or authoritative.
	DataTypes string
	// Parallel is how many jobs run side by side; 0 is the queue's default.
	Parallel int
	// Stdout gets one line of JSON when the platform listens, Stderr what goes
	// wrong inside.
	Stdout, Stderr io.Writer
	// Now is the clock; nil is the real one.
	Now func() time.Time

	engine sandbox.Engine // in the place of a runner, for tests
}

// Addresses are what `devstack serve` prints, as one line of JSON.
type Addresses struct {
	// Storage and Queue are the addresses of the APIs, without a slash at the
	// end.
	Storage string `json:"storage"`
	Queue   string `json:"queue"`
	// Page opens the page in a browser, token included.
	Page string `json:"page"`
}

// Serve is the local platform until ctx ends, which is no error. Jobs that are
// running then are ended.
func Serve(ctx context.Context, o ServeOptions) error {
	l, addresses, err := o.start(ctx)
	if err != nil {
		return err
	}
	line, err := json.Marshal(addresses)
	if err == nil {
		_, err = fmt.Fprintf(o.Stdout, "%s\n", line)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("telling the addresses: %w", err), l.o.listener.Close(), l.store.Close())
	}
	return l.run(ctx)
}

// start listens and puts the platform together; it does not work before run.
func (o ServeOptions) start(ctx context.Context) (*local, Addresses, error) {
	engine, image, err := o.runner()
	if err != nil {
		return nil, Addresses{}, err
	}
	if o.Token == "" {
		return nil, Addresses{}, failure.Userf("the token must not be empty")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	listener, err := listen(ctx, localPlatform, o.Listen)
	if err != nil {
		return nil, Addresses{}, err
	}
	report := reporter(o.Stderr)
	if o.Token == DefaultToken && !onLoopback(listener.Addr()) {
		report(fmt.Errorf("%s can be reached from elsewhere, and its token is the one everybody knows; choose another with --token", listener.Addr()))
	}
	near := reachable(listener.Addr())
	if o.Host == "" {
		o.Host = near
	}
	l, err := newLocal(localOptions{
		dir:              o.Data,
		listener:         listener,
		host:             o.Host,
		token:            o.Token,
		engine:           engine,
		image:            image,
		logging:          o.Logging,
		resolveVariables: o.ResolveVariables,
		dataTypes:        o.DataTypes,
		parallel:         o.Parallel,
		now:              o.Now,
		report:           report,
	})
	if err != nil {
		return nil, Addresses{}, errors.Join(err, listener.Close())
	}
	base := "http://" + near
	return l, Addresses{Storage: base, Queue: base + "/queue", Page: base + "/?token=" + url.QueryEscape(o.Token)}, nil
}

// runner is what runs the component, and its name in words.
func (o ServeOptions) runner() (sandbox.Engine, string, error) {
	if o.engine != nil {
		return o.engine, "test", nil
	}
	switch o.Runner {
	case RunnerProcess:
		if len(o.Program) == 0 {
			return nil, "", failure.Applicationf("no program to run")
		}
		engine, err := sandbox.NewProcess(o.Program[0], o.Program[1:]...)
		return engine, o.Program[0], err
	case RunnerDocker:
		if o.Docker.Image == "" {
			return nil, "", failure.Userf("the runner docker needs the image of the component")
		}
		return o.Docker, o.Docker.Image, nil
	default:
		return nil, "", failure.Userf("the runner is %s or %s, found '%s'", RunnerProcess, RunnerDocker, o.Runner)
	}
}

// reachable is the host:port of a listener as this machine reaches it: one on
// all interfaces by loopback.
func reachable(address net.Addr) string {
	tcp, ok := address.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return address.String()
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
}

// onLoopback tells whether only this machine reaches a listener.
func onLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// reporter writes errors as lines, one at a time.
func reporter(w io.Writer) func(error) {
	var mu sync.Mutex
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		// When nobody listens any more the platform still goes on for its clients.
		_, _ = fmt.Fprintln(w, "devstack:", err)
	}
}

// Self is this very program as a component: devstack brings the extractor with
// it, so that there is nothing to build first.
func Self() ([]string, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, failure.Applicationf("cannot tell where this program is: %w", err)
	}
	return []string{path, ComponentCommand}, nil
}

// ComponentCommand is the command of devstack that is the component.
const ComponentCommand = "component"
