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

// addressListener is one of the addresses of the local platform.
type addressListener struct {
	net.Listener
	isQueue bool // has the queue at the root
}

func (d addressListener) port() string {
	_, port, _ := net.SplitHostPort(d.Addr().String()) // addresses of listeners are good
	return port
}

// listen opens all addresses, the first one is that of the platform, and sets where
// components reach it. After an error some may be open.
func (l *local) listen(ctx context.Context, o *ServeOptions) (Addresses, error) {
	main, err := l.openDoor(ctx, o.Listen, false)
	if err != nil {
		return Addresses{}, err
	}
	if o.Token == DefaultToken && !onLoopback(main.Addr()) {
		l.report(fmt.Errorf("%s can be reached from elsewhere, and its token is the one everybody knows; choose another with --token", main.Addr()))
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

// openDoor listens on an address, with TLS if there are certificates.
func (l *local) openDoor(ctx context.Context, address string, isQueue bool) (net.Listener, error) {
	listener, err := listen(ctx, localPlatform, address)
	if err != nil {
		return nil, err
	}
	if l.certificates != nil {
		listener = tls.NewListener(listener, l.certificates.config())
	}
	l.doors = append(l.doors, addressListener{listener, isQueue})
	return listener, nil
}

// encrypt makes the main address one of TLS, and opens one without it for components.
func (l *local) encrypt(ctx context.Context, o *ServeOptions, main net.Listener) (authority string, err error) {
	plain, err := l.openDoor(ctx, freePort, false)
	if err != nil {
		return "", err
	}
	o.Host = plain.Addr().String()
	l.certificates, err = openCertificates(filepath.Join(o.Data, "tls"), namesOf(main.Addr()), o.Now)
	if err != nil {
		return "", err
	}
	l.doors[0].Listener = tls.NewListener(main, l.certificates.config())
	return l.certificates.path(), nil
}

// namesOf are the names and addresses under which clients may reach a listener.
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

// openQueue opens the queue's own address; nil if there is none.
func (l *local) openQueue(ctx context.Context, o *ServeOptions, main net.Listener) (net.Listener, error) {
	if o.QueueListen != "" {
		return l.openDoor(ctx, o.QueueListen, true)
	}
	if !onLoopback(main.Addr()) {
		return nil, nil
	}
	host, _, err := net.SplitHostPort(main.Addr().String())
	if err != nil {
		return nil, err
	}
	if _, port, _ := net.SplitHostPort(o.Listen); port != "0" {
		if queue, err := l.openDoor(ctx, net.JoinHostPort(host, DefaultQueuePort), true); err == nil {
			return queue, nil
		}
	}
	return l.openDoor(ctx, net.JoinHostPort(host, "0"), true)
}

func (l *local) closeDoors() error {
	var errs []error
	for _, d := range l.doors {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}
