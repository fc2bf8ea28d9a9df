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
	// DefaultQueuePort is the port of the queue API, if it is free.
	DefaultQueuePort = "8090"
)

// Values of ServeOptions.Runner.
const (
	RunnerProcess = "process"
	RunnerDocker  = "docker"
)

// ServeOptions configures the local platform.
type ServeOptions struct {
	// Data is the directory of all stored data. It is created if it is missing. Only one
	// platform can use it at a time.
	Data string
	// Listen is the address (host:port). Port 0 is any free port.
	Listen string
	// QueueListen is the address (host:port) of the queue API. If it is empty, the queue
	// uses the host of Listen with DefaultQueuePort or any free port. If Listen is not on
	// loopback, it gets no address of its own, because clients may not reach the port.
	QueueListen string
	// TLS encrypts connections with certificates that are created in Data.
	TLS bool
	// Component is the id of a component that exists without a configuration. It may be
	// empty.
	Component string
	// Token is the token that clients must send. It must not be empty.
	Token string
	// Runner is RunnerProcess or RunnerDocker.
	Runner string
	// Program is the component for RunnerProcess, with its arguments. If it is empty, the
	// extractor in this program is used.
	Program []string
	// Docker is the component for RunnerDocker.
	Docker sandbox.Docker
	// Host is the address (host:port) that components use for the platform. If it is empty,
	// they use the address of the listener. With TLS it must be empty: components then use
	// a separate address on loopback without TLS, because to trust the authority they would
	// have to trust it exclusively.
	Host string
	// Logging is sandbox.LogGELF, sandbox.LogVerbose or sandbox.LogStdout.
	Logging string
	// ResolveVariables makes the platform replace variables before the component starts.
	// Otherwise the component replaces them.
	ResolveVariables bool
	// DataTypes is none, hints or authoritative.
	DataTypes string
	// Parallel is the maximum number of concurrent jobs. 0 is the default of the queue.
	Parallel int
	// Stdout receives one line of JSON when the platform listens. Stderr receives its
	// errors.
	Stdout, Stderr io.Writer
	// Now returns the current time. If it is nil, time.Now is used.
	Now func() time.Time

	engine sandbox.Engine // replaces the runner in tests
}

// Addresses are the addresses that `devstack serve` prints as one line of JSON.
type Addresses struct {
	// Storage and Queue are the base URLs of the APIs, without a slash at the end.
	Storage string `json:"storage"`
	Queue   string `json:"queue"`
	// Page is the URL of the web UI, with the token.
	Page string `json:"page"`
	// Authority is the path of the certificate to trust. It is empty without TLS.
	Authority string `json:"authority,omitempty"`
}

// Serve runs the local platform until ctx ends, which is not an error. It ends running jobs
// before it returns.
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
		return errors.Join(fmt.Errorf("printing the addresses: %w", err), l.closeListeners(), l.store.Close())
	}
	return l.run(ctx)
}

// start creates the platform and its listeners. run starts its work.
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
		return nil, Addresses{}, failure.Userf("--component-address cannot be used with --tls: components connect over loopback without TLS; leave out one of them")
	}
	l := &local{image: image, report: reporter(o.Stderr)}
	addresses, err := l.listen(ctx, &o)
	if err == nil {
		l.o = o
		err = l.open()
	}
	if err != nil {
		return nil, Addresses{}, errors.Join(err, l.closeListeners())
	}
	if l.certificates != nil && l.certificates.replaced {
		l.report(fmt.Errorf("the platform has a new certificate authority; clients must trust %s again", addresses.Authority))
	}
	return l, addresses, nil
}

// runner sets the engine and returns the name of its program or image.
func (o *ServeOptions) runner() (name string, err error) {
	if o.engine != nil {
		return "test", nil
	}
	switch o.Runner {
	case RunnerProcess:
		program := o.Program
		if len(program) == 0 {
			if program, err = ownCommand(); err != nil {
				return "", err
			}
		}
		o.engine, err = sandbox.NewProcess(program[0], program[1:]...)
		return program[0], err
	case RunnerDocker:
		if o.Docker.Image == "" {
			return "", failure.Userf("--runner docker needs --image, the image of the component")
		}
		o.engine = o.Docker
		return o.Docker.Image, nil
	default:
		return "", failure.Userf("--runner must be %s or %s, found '%s'", RunnerProcess, RunnerDocker, o.Runner)
	}
}

// reachable returns the host:port that this machine can use for a listener. It is on
// loopback if the listener listens on all interfaces.
func reachable(address net.Addr) string {
	tcp, ok := address.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return address.String()
	}
	return net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
}

// onLoopback reports whether a listener accepts connections from this machine only.
func onLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

func reporter(w io.Writer) func(error) {
	var mu sync.Mutex
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		// The platform continues to serve its clients even if stderr is closed.
		_, _ = fmt.Fprintln(w, "devstack:", err)
	}
}

// ownCommand returns this program as the command of a component. It contains the extractor,
// so users need not build it.
func ownCommand() ([]string, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, failure.Applicationf("cannot find the path of this program: %w", err)
	}
	return []string{path, ComponentCommand}, nil
}

// ComponentCommand is the command of devstack that runs the component.
const ComponentCommand = "component"
