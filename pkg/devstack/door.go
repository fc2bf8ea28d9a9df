package devstack

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
)

// addressListener is a listener of the local platform.
type addressListener struct {
	net.Listener
	isQueue bool // serves the queue API at the root
}

func (d addressListener) port() string {
	_, port, _ := net.SplitHostPort(d.Addr().String()) // addresses of listeners are valid
	return port
}

// listen opens all listeners and sets the address that components use. The first listener
// belongs to the platform. After an error some listeners may be open.
func (l *local) listen(ctx context.Context, o *ServeOptions) (Addresses, error) {
	main, err := l.openListener(ctx, o.Listen, false)
	if err != nil {
		return Addresses{}, err
	}
	if o.Token == DefaultToken && !onLoopback(main.Addr()) {
		l.report(fmt.Errorf("%s can be reached from other computers and uses the default token; choose another with --token", main.Addr()))
	}
	near, scheme := reachable(main.Addr()), "http://"
	var a Addresses
	if o.TLS {
		scheme = "https://"
		if a.Authority, err = l.encrypt(ctx, o, main); err != nil {
			return a, err
		}
	}
	o.Host = cmp.Or(o.Host, near)
	a.Storage, a.Queue, a.Page = scheme+near, scheme+near+"/queue", scheme+near+"/?token="+url.QueryEscape(o.Token)
	queue, err := l.openQueue(ctx, o, main)
	if queue != nil {
		a.Queue = scheme + reachable(queue.Addr())
	}
	return a, err
}

func (l *local) openListener(ctx context.Context, address string, isQueue bool) (net.Listener, error) {
	listener, err := listen(ctx, localPlatform, address)
	if err != nil {
		return nil, err
	}
	if l.certificates != nil {
		listener = tls.NewListener(listener, l.certificates.config())
	}
	l.listeners = append(l.listeners, addressListener{listener, isQueue})
	return listener, nil
}

// encrypt adds TLS to the main listener and opens a listener without TLS for components.
func (l *local) encrypt(ctx context.Context, o *ServeOptions, main net.Listener) (authority string, err error) {
	plain, err := l.openListener(ctx, freePort, false)
	if err != nil {
		return "", err
	}
	o.Host = plain.Addr().String()
	l.certificates, err = openCertificates(filepath.Join(o.Data, "tls"), namesOf(main.Addr()), o.Now)
	if err != nil {
		return "", err
	}
	l.listeners[0].Listener = tls.NewListener(main, l.certificates.config())
	return l.certificates.path(), nil
}

// namesOf returns the host names and IP addresses that clients may use for a listener.
func namesOf(address net.Addr) []string {
	names := []string{"localhost", "127.0.0.1", "::1"}
	host, _, err := net.SplitHostPort(address.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && !ip.IsUnspecified() {
		return append(names, ip.String())
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	return names
}

// openQueue opens the listener of the queue API. It returns nil if the queue has no address
// of its own.
func (l *local) openQueue(ctx context.Context, o *ServeOptions, main net.Listener) (net.Listener, error) {
	if o.QueueListen != "" {
		return l.openListener(ctx, o.QueueListen, true)
	}
	if !onLoopback(main.Addr()) {
		return nil, nil
	}
	host, _, err := net.SplitHostPort(main.Addr().String())
	if err != nil {
		return nil, err
	}
	if _, port, _ := net.SplitHostPort(o.Listen); port != "0" {
		if queue, err := l.openListener(ctx, net.JoinHostPort(host, DefaultQueuePort), true); err == nil {
			return queue, nil
		}
	}
	return l.openListener(ctx, net.JoinHostPort(host, "0"), true)
}

func (l *local) closeListeners() error {
	var errs []error
	for _, d := range l.listeners {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}
