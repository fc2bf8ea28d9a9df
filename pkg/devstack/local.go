package devstack

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/platformapi"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
	"github.com/keboola/configurable-extractor/pkg/devstack/webui"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

const localPlatform = "local platform"

// local is a running local platform.
type local struct {
	o         ServeOptions // options; engine, host and clock are set
	image     string       // name of the program or image that the engine runs
	listeners []addressListener
	report    func(error)
	store     *store.Store
	queue     *queue.Queue
	tries     *tryrun.Trials
	// certificates is nil without TLS.
	certificates *certificates
}

func (l *local) open() (err error) {
	if err := os.MkdirAll(l.o.Data, 0o700); err != nil {
		return failure.Userf("the %s needs a directory for its data: %w", localPlatform, err)
	}
	if l.store, err = store.Open(filepath.Join(l.o.Data, "platform.db"), l.o.Now); err != nil {
		return err
	}
	runs, err := l.newSandbox()
	if err == nil {
		l.queue, err = l.newQueue(runs)
	}
	if err == nil {
		l.tries, err = tryrun.New(tryrun.Options{Dir: filepath.Join(l.o.Data, "tries"), Run: runs.Run, Prepare: l.queue.Try, Now: l.o.Now, Report: l.report})
	}
	if err != nil {
		return errors.Join(err, l.store.Close())
	}
	return nil
}

func (l *local) newSandbox() (*sandbox.Sandbox, error) {
	dir := filepath.Join(l.o.Data, "runs")
	// The store is locked, so no other platform uses this directory. The platform also
	// works if something cannot be removed, such as files that root created in a container.
	if err := sandbox.RemoveLeftovers(dir); err != nil {
		l.report(err)
	}
	return sandbox.New(sandbox.Options{
		Dir:     dir,
		Engine:  l.o.engine,
		Logging: l.o.Logging,
		Now:     l.o.Now,
	})
}

func (l *local) newQueue(runs *sandbox.Sandbox) (*queue.Queue, error) {
	host, _, err := net.SplitHostPort(l.o.Host)
	if err != nil {
		return nil, failure.Userf("the address for components must be host:port: %w", err)
	}
	return queue.New(queue.Options{
		Store:            l.store,
		Runner:           runs,
		Token:            jobToken(l.o.Token),
		URL:              "http://" + l.o.Host,
		Image:            l.image,
		Stack:            host,
		Parallel:         l.o.Parallel,
		ResolveVariables: l.o.ResolveVariables,
		DataTypeSupport:  l.o.DataTypes,
		Verbose:          l.o.Logging == sandbox.LogVerbose,
		DebugDir:         filepath.Join(l.o.Data, "debug"),
		Now:              l.o.Now,
	})
}

// jobToken derives the token of running components from the user's token. The user's token
// may be a common word, and as a secret it would be masked everywhere.
func jobToken(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("running components"))
	return hex.EncodeToString(mac.Sum(nil))
}

// run serves requests and runs jobs until ctx ends or one of them fails. Then it closes the
// store.
func (l *local) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served, worked := make(chan error, len(l.listeners)), make(chan error, 1)
	platform, queueRoot := l.handlers(ctx)
	for _, d := range l.listeners {
		handler := platform
		if d.isQueue {
			handler = queueRoot
		}
		go func() {
			served <- serve(ctx, localPlatform, d.Listener, checkHost(d.Addr(), handler))
			cancel()
		}()
	}
	go func() {
		worked <- l.queue.Run(ctx)
		cancel()
	}()
	err := <-worked
	for range l.listeners {
		err = errors.Join(err, <-served)
	}
	return errors.Join(err, l.tries.Close(), l.store.Close())
}

// handlers returns the handler of the platform, and the handler with the queue API at the
// root.
func (l *local) handlers(ctx context.Context) (platform, queueRoot http.Handler) {
	o := platformapi.Options{
		Store:      l.store,
		Token:      l.o.Token,
		JobToken:   jobToken(l.o.Token),
		Components: []string{variables.DefaultComponent},
		Now:        l.o.Now,
		Sleep:      app.Sleep,
		Report:     l.report,
	}
	if l.o.Component != "" {
		o.Components = append(o.Components, l.o.Component)
	}
	for _, d := range l.listeners {
		if d.isQueue {
			o.Port, o.QueuePort = l.listeners[0].port(), d.port()
		}
	}
	apis := platformapi.New(o)
	mux := http.NewServeMux()
	for _, path := range []string{"/v2/storage", "/v2/storage/", "/queue", "/queue/", "/encryption", "/encryption/", "/notification", "/notification/", "/faults", "/faults/"} {
		mux.Handle(path, apis)
	}
	mux.Handle("/", webui.New(webui.Options{
		Store:  l.store,
		API:    apis,
		Tries:  l.tries,
		Token:  l.o.Token,
		Now:    l.o.Now,
		Done:   ctx.Done(),
		Report: l.report,
	}))
	return mux, platformapi.QueueRoot(apis)
}

// checkHost refuses requests to a listener on loopback that name another host. Otherwise a
// website could point its host name at this machine (DNS rebinding) and its requests would
// count as same-site.
func checkHost(address net.Addr, next http.Handler) http.Handler {
	if !onLoopback(address) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		// An IPv6 address without a port keeps its brackets.
		if host != "localhost" && !net.ParseIP(strings.Trim(host, "[]")).IsLoopback() {
			http.Error(w, fmt.Sprintf("this local platform accepts only requests to loopback addresses, not to %q", host), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
