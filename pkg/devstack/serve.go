package devstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Defaults of `devstack serve`.
const (
	DefaultPlatformListen = "127.0.0.1:8088"
	DefaultPlatformData   = "devstack-data"
	DefaultToken          = "local"
	DefaultComponent      = demoComponent
	// DefaultQueuePort is the port of the queue's own address, if it is free.
	DefaultQueuePort = "8090"
)

// The ways to run the component.
const (
	RunnerProcess = "process"
	RunnerDocker  = "docker"
)

// ServeOptions configure the local platform.
type ServeOptions struct {
	// Data is the directory for everything that is stored. It is created if it is
	// missing. Only one platform can use it at a time.
	Data string
	// Listen is host:port, port 0 any free port.
	Listen string
	// QueueListen is the host:port of the queue's own address. "" is the host of Listen
	// with DefaultQueuePort or any free port, but none if Listen is not on loopback: the
	// port could be one that clients do not reach.
	QueueListen string
	// TLS encrypts connections, with certificates that are made in Data.
	TLS bool
	// Component is the id of a component that is known without a configuration; "" is
	// none.
	Component string
	// Token is the token that clients must send.
	Token string
	// Runner is RunnerProcess or RunnerDocker.
	Runner string
	// Program is the component for RunnerProcess, with its arguments; empty is the
	// extractor that is part of this program.
	Program []string
	// Docker is the component for RunnerDocker.
	Docker sandbox.Docker
	// Host is the host:port under which components reach the platform; "" is where it
	// listens. With TLS it must be "": components get an address on loopback of their
	// own, which is not encrypted. To trust the authority they would have to trust no
	// others.
	Host string
	// Logging is sandbox.LogGELF, sandbox.LogVerbose or sandbox.LogStdout.
	Logging string
	// ResolveVariables replaces variables before the component starts. Otherwise
	// the component does it.
	ResolveVariables bool
	// DataTypes is none, hints or authoritative.
	DataTypes string
	// Parallel is how many jobs run at the same time; 0 is the queue's default.
	Parallel int
	// Stdout receives one line of JSON when the platform listens, Stderr its
	// errors.
	Stdout, Stderr io.Writer
	// Now is the clock; nil is time.Now.
	Now func() time.Time

	engine sandbox.Engine // replaces the runner in tests
}

// Addresses are what `devstack serve` prints, as one line of JSON.
type Addresses struct {
	// Storage and Queue are the addresses of the APIs, without a slash at the end.
	Storage string `json:"storage"`
	Queue   string `json:"queue"`
	// Page is the address of the page, with the token.
	Page string `json:"page"`
	// Authority is the file with the certificate to trust; "" without TLS.
	Authority string `json:"authority,omitempty"`
}

// Serve runs the local platform until ctx ends, which is not an error. Running jobs
// are ended then.
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
		return errors.Join(fmt.Errorf("printing the addresses: %w", err), l.closeDoors(), l.store.Close())
	}
	return l.run(ctx)
}

// start listens and creates the platform; run starts its work.
func (o ServeOptions) start(ctx context.Context) (*local, Addresses, error) {
	image, err := o.runner()
	if err != nil {
		return nil, Addresses{}, err
	}
	if o.Token == "" {
		return nil, Addresses{}, failure.Userf("the token must not be empty")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.TLS && o.Host != "" {
		return nil, Addresses{}, failure.Userf("components cannot be given an address with TLS: they use one on loopback without it; leave out --component-address or --tls")
	}
	l := &local{image: image, report: reporter(o.Stderr)}
	addresses, err := l.listen(ctx, &o)
	if err == nil {
		l.o = o
		err = l.open()
	}
	if err != nil {
		return nil, Addresses{}, errors.Join(err, l.closeDoors())
	}
	if l.certificates != nil && l.certificates.replaced {
		l.report(fmt.Errorf("a new authority signs the certificate of the platform; clients must trust %s again", addresses.Authority))
	}
	return l, addresses, nil
}

// runner sets the engine and returns the name of what it runs.
func (o *ServeOptions) runner() (name string, err error) {
	if o.engine != nil {
		return "test", nil
	}
	switch o.Runner {
	case RunnerProcess:
		program := o.Program
		if len(program) == 0 {
			if program, err = self(); err != nil {
				return "", err
			}
		}
		o.engine, err = sandbox.NewProcess(program[0], program[1:]...)
		return program[0], err
	case RunnerDocker:
		if o.Docker.Image == "" {
			return "", failure.Userf("the runner docker needs the image of the component")
		}
		o.engine = o.Docker
		return o.Docker.Image, nil
	default:
		return "", failure.Userf("the runner is %s or %s, found '%s'", RunnerProcess, RunnerDocker, o.Runner)
	}
}

// reachable is the host:port under which this machine reaches a listener: loopback,
// if it listens on all interfaces.
func reachable(address net.Addr) string {
	tcp, ok := address.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return address.String()
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
}

// onLoopback reports whether only this machine reaches a listener.
func onLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

func reporter(w io.Writer) func(error) {
	var mu sync.Mutex
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		// The platform keeps serving its clients even if stderr is closed.
		_, _ = fmt.Fprintln(w, "devstack:", err)
	}
}

// self is this program as a component: it contains the extractor, so nothing has to
// be built.
func self() ([]string, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, failure.Applicationf("cannot say where this program is: %w", err)
	}
	return []string{path, ComponentCommand}, nil
}

// ComponentCommand is the command of devstack that runs the component.
const ComponentCommand = "component"
