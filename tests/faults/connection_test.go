package faults

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"time"
)

// dialing makes connections to an address that a world knows.
func dialing(address func(*world) (string, error)) func(context.Context, *world, int) (net.Conn, error) {
	return func(ctx context.Context, w *world, _ int) (net.Conn, error) {
		to, err := address(w)
		if err != nil {
			panic(err) // a mistake in this test
		}
		return (&net.Dialer{}).DialContext(ctx, "tcp", to)
	}
}

// proxied makes connections through a proxy with a toxic.
func proxied(kind, direction, attributes string) func(context.Context, *world, int) (net.Conn, error) {
	toxic := fmt.Sprintf(`{"type": %q, "stream": %q, "attributes": {%s}}`, kind, direction, attributes)
	return dialing(func(w *world) (string, error) { return w.toxic(toxic) })
}

// meeting makes connections to a server that behaves like this.
func meeting(behave func(net.Conn)) func(context.Context, *world, int) (net.Conn, error) {
	return dialing(func(w *world) (string, error) { return w.instead(behave) })
}

// shaking is a server that ends the connection after the handshake, which is
// how far the client should not get.
func shaking(config func() *tls.Config) func(net.Conn) {
	return func(conn net.Conn) {
		_ = tls.Server(conn, config()).Handshake() // its failure is what is wanted
		_, _ = io.Copy(io.Discard, conn)
	}
}

// presenting is a server with a certificate.
func presenting(certificate func() pair) func(net.Conn) {
	return shaking(func() *tls.Config { return serverTLS(certificate) })
}

// greeted is a server that reads the beginning of the handshake.
func greeted(behave func(net.Conn)) func(net.Conn) {
	return func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		behave(conn)
	}
}

// impatient are the settings of faults that only a time-out ends. The others
// have the default, so that a slow machine makes no difference.
const impatient = `{"http": {"connectTimeout": 0.2, "requestTimeout": 0.25}, "retryConfig": {"maxRetries": 3}}`

// stuck is a fault that only a time-out ends: it is tried where it costs least.
func stuck(row string) func(*fault) {
	return func(f *fault) {
		f.row, f.once, f.stays, f.settings = row, healthy, refused, impatient
		f.only = func(s scenario, _ place) bool {
			return slices.Contains([]string{"offset paging", "child jobs side by side", "login"}, s.name)
		}
	}
}

func connectionFaults() []fault {
	return slices.Concat(
		with(passing("connection refused, reset or closed"),
			fault{name: "refused by the real network", says: "no connection", connect: dialing(func(w *world) (string, error) { return w.toxic("") })},
			fault{name: "reset by the proxy", says: "network error", connect: proxied("reset_peer", "downstream", `"timeout": 0`)},
			fault{name: "request reset by the proxy", says: "network error", connect: proxied("reset_peer", "upstream", `"timeout": 0`)},
			fault{name: "closed by the proxy after a while", says: "without a response", connect: proxied("timeout", "downstream", `"timeout": 10`)},
			fault{name: "closed at once", says: "network error", connect: meeting(func(net.Conn) {})},
			fault{name: "closed after the request", says: "without a response", hit: func(s *strike) { s.send("") }},
			fault{name: "reset after the request", says: "reset the connection", hit: func(s *strike) { s.reset("") }},
			fault{name: "half-closed after the request", says: "without a response", hit: func(s *strike) {
				conn := s.raw("")
				_ = conn.(*net.TCPConn).CloseWrite()
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}},
		),
		with(passing("host not found"),
			fault{name: "no such host", says: "api.test is not known", connect: resolving(&net.DNSError{Err: "no such host", Name: "api.test", IsNotFound: true})},
			fault{name: "name server fails", says: "api.test is not known", connect: resolving(&net.DNSError{Err: "server misbehaving", Name: "api.test", IsTemporary: true})},
			fault{name: "name server times out", says: "network error", connect: resolving(&net.DNSError{Err: "i/o timeout", Name: "api.test", IsTimeout: true})},
		),
		cutByProxy(),
		with(harmless("slow or chopped connection"),
			fault{name: "slices of one byte", body: 1, only: smallest, connect: proxied("slicer", "downstream", `"average_size": 64, "size_variation": 32, "delay": 0`)},
			fault{name: "request in slices", connect: proxied("slicer", "upstream", `"average_size": 2, "size_variation": 1, "delay": 0`)},
			fault{name: "latency", connect: proxied("latency", "downstream", `"latency": 5, "jitter": 3`)},
			fault{name: "little bandwidth", connect: proxied("bandwidth", "downstream", `"rate": 500`)},
			fault{name: "slow to close", connect: proxied("slow_close", "downstream", `"delay": 20`)},
		),
		with(stuck("no response, or a slow drip"),
			fault{name: "proxy that swallows the request", says: "'api.http.requestTimeout'", connect: proxied("timeout", "upstream", `"timeout": 0`)},
			fault{name: "silence", says: "'api.http.requestTimeout'", hit: func(s *strike) { s.hang("") }},
			fault{name: "silence within the head", says: "'api.http.requestTimeout'", hit: func(s *strike) { s.hang("HTTP/1.1 200 OK\r\nContent-") }},
			fault{name: "silence within the body", says: "'api.http.requestTimeout'", hit: func(s *strike) {
				whole := s.whole()
				text := whole.wire(len(whole.body))
				s.hang(text[:len(text)-20])
			}},
			fault{name: "slow drip", says: "'api.http.requestTimeout'", hit: drip},
			fault{name: "endless 103 Early Hints, slowly", says: "'api.http.requestTimeout'", hit: func(s *strike) { s.drip("", "HTTP/1.1 103 Early Hints\r\n\r\n") }},
			fault{name: "no handshake", secure: true, says: " within 'api.http.", connect: meeting(func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })},
			fault{name: "handshake that stops", secure: true, says: " within 'api.http.", connect: meeting(greeted(func(conn net.Conn) {
				_, _ = io.WriteString(conn, "\x16\x03\x03\x00\x7a\x02\x00\x00\x76")
				_, _ = io.Copy(io.Discard, conn)
			}))},
		),
		tlsFaults(),
	)
}

// resolving fails as a name server does.
func resolving(err *net.DNSError) func(context.Context, *world, int) (net.Conn, error) {
	return func(context.Context, *world, int) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
}

// smallest is a scenario with one short response, for what takes a long time.
func smallest(s scenario, p place) bool { return s.name == "offset paging" && p.name == "last page" }

// drip sends the response byte by byte, and never to its end.
func drip(s *strike) {
	whole := s.whole()
	s.drip(whole.wire(1<<20), " ")
}

// drip sends the beginning at once and the rest again and again, slowly, until
// the client gives up.
func (s *strike) drip(begin, again string) {
	conn := s.raw(begin)
	for {
		if _, err := io.WriteString(conn, again); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond) // this is the fault
	}
	_ = conn.Close()
}

// cutByProxy cuts the connection after every kilobyte.
func cutByProxy() []fault {
	var all []fault
	for kilobytes := range 6 {
		bytes := max(60, kilobytes<<10) // the first one within the head
		all = append(all, fault{
			name: "cut by the proxy after " + strconv.Itoa(bytes) + " bytes", says: "network error", body: kilobytes << 10,
			connect: proxied("limit_data", "downstream", `"bytes": `+strconv.Itoa(bytes)),
		})
	}
	all = append(all, fault{name: "request cut by the proxy", says: "network error", connect: proxied("limit_data", "upstream", `"bytes": 40`)})
	return with(passing("response cut in the middle"), all...)
}

func tlsFaults() []fault {
	secure := func(common func(*fault)) func(*fault) {
		return func(f *fault) {
			common(f)
			f.secure = true
		}
	}
	return slices.Concat(
		with(secure(fatal("certificate expired, of another host, or of an unknown authority")),
			fault{name: "expired certificate", says: "expired", connect: meeting(presenting(expired))},
			fault{name: "certificate of tomorrow", says: "not valid before", connect: meeting(presenting(early))},
			fault{name: "certificate of another host", says: "another.test", connect: meeting(presenting(wrongHost))},
			fault{name: "certificate without a name", says: "certificate", connect: meeting(presenting(unnamed))},
			fault{name: "unknown authority", says: "unknown authority", connect: meeting(presenting(unknownAuthority))},
			fault{name: "certificate that signed itself", says: "certificate", connect: meeting(presenting(selfSigned))},
		),
		with(secure(passing("no secure connection: old protocol, handshake cut, no TLS at all")),
			fault{name: "TLS 1.1", says: "no secure connection", connect: meeting(shaking(func() *tls.Config {
				c := serverTLS(honest)
				c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
				return c
			}))},
			fault{name: "client certificate wanted", says: "network error", connect: meeting(shaking(func() *tls.Config {
				c := serverTLS(honest)
				c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12
				return c
			}))},
			fault{name: "handshake cut", says: "network error", connect: meeting(greeted(func(net.Conn) {}))},
			fault{name: "handshake cut by the proxy", says: "network error", connect: proxied("limit_data", "downstream", `"bytes": 300`)},
			fault{name: "handshake reset by the proxy", says: "network error", connect: proxied("reset_peer", "downstream", `"timeout": 0`)},
			fault{name: "alert", says: "no secure connection", connect: meeting(greeted(func(conn net.Conn) {
				_, _ = io.WriteString(conn, "\x15\x03\x03\x00\x02\x02\x28")
			}))},
			fault{name: "HTTP on the port of HTTPS", says: "does not speak TLS", connect: meeting(greeted(func(conn net.Conn) {
				_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			}))},
			fault{name: "answer cut within TLS", says: "network error", body: 2048, connect: proxied("limit_data", "downstream", `"bytes": 3000`)},
		),
	)
}
