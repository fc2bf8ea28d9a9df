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
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/api"
	"github.com/keboola/configurable-extractor/pkg/devstack/page"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

const localPlatform = "local platform"

// localOptions are what the local platform is made of.
type localOptions struct {
	dir              string // holds everything that outlives the process
	listener         net.Listener
	host             string // host:port under which components reach the listener
	token            string
	engine           sandbox.Engine
	image            string // what the engine runs, in words
	logging          string
	resolveVariables bool
	dataTypes        string
	parallel         int
	now              func() time.Time
	report           func(error)
}

// local is the platform with its parts put together.
type local struct {
	o     localOptions
	store *store.Store
	queue *queue.Queue
}

func newLocal(o localOptions) (*local, error) {
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return nil, failure.Userf("the %s needs a directory for what it stores: %w", localPlatform, err)
	}
	opened, err := store.Open(filepath.Join(o.dir, "platform.db"), o.now)
	if err != nil {
		return nil, err
	}
	l := &local{o: o, store: opened}
	if l.queue, err = l.newQueue(); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return l, nil
}

func (l *local) newQueue() (*queue.Queue, error) {
	dir := filepath.Join(l.o.dir, "runs")
	// The store is open, so no other platform works here. What cannot be removed,
	// such as the files of a container's root, is no reason not to work.
	if err := sandbox.RemoveLeftovers(dir); err != nil {
		l.o.report(err)
	}
	runs, err := sandbox.New(sandbox.Options{
		Dir:     dir,
		Engine:  l.o.engine,
		Logging: l.o.logging,
		Now:     l.o.now,
	})
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(l.o.host)
	if err != nil {
		return nil, failure.Userf("the address for components must be host:port: %w", err)
	}
	return queue.New(queue.Options{
		Store:            l.store,
		Runner:           runs,
		Token:            jobToken(l.o.token),
		URL:              "http://" + l.o.host,
		Image:            l.o.image,
		Stack:            host,
		Parallel:         l.o.parallel,
		ResolveVariables: l.o.resolveVariables,
		DataTypeSupport:  l.o.dataTypes,
		DebugDir:         filepath.Join(l.o.dir, "debug"),
		Now:              l.o.now,
	})
}

// jobToken is the token that running components get. It is not the one a person
// chose: that may be a common word, and would be masked wherever it stands.
func jobToken(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("running components"))
	return hex.EncodeToString(mac.Sum(nil))
}

// run answers requests and runs jobs until ctx ends or one of both fails, and
// closes the store.
func (l *local) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served, worked := make(chan error, 1), make(chan error, 1)
	go func() {
		served <- serve(ctx, localPlatform, l.o.listener, l.handler(ctx))
		cancel()
	}()
	go func() {
		worked <- l.queue.Run(ctx)
		cancel()
	}()
	return errors.Join(<-served, <-worked, l.store.Close())
}

func (l *local) handler(ctx context.Context) http.Handler {
	apis := api.New(api.Options{
		Store:    l.store,
		Token:    l.o.token,
		JobToken: jobToken(l.o.token),
		Now:      l.o.now,
		Report:   l.o.report,
	})
	mux := http.NewServeMux()
	for _, path := range []string{"/v2/storage", "/v2/storage/", "/queue", "/queue/", "/faults", "/faults/"} {
		mux.Handle(path, apis)
	}
	mux.Handle("/", page.New(page.Options{
		Store:  l.store,
		Token:  l.o.token,
		Now:    l.o.now,
		Done:   ctx.Done(),
		Report: l.o.report,
	}))
	return ownNames(l.o.listener.Addr(), mux)
}

// ownNames refuses requests to a listener on loopback that name another host: a
// page of the internet whose name was made to mean this machine would count as
// the same site.
func ownNames(address net.Addr, next http.Handler) http.Handler {
	if !onLoopback(address) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		// An address of IPv6 without a port keeps its brackets.
		if host != "localhost" && !net.ParseIP(strings.Trim(host, "[]")).IsLoopback() {
			http.Error(w, fmt.Sprintf("this local platform answers on loopback only, not as %q", host), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
