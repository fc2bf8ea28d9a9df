package httpclient

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// publicHostsOnly refuses requests with a host that is an address outside the public
// internet. Requests through a proxy allow no other check. For direct connections
// publicOnly checks the addresses of a host name.
type publicHostsOnly struct {
	next step
}

func (t *publicHostsOnly) do(ctx context.Context, x *call) (*Response, error) {
	host := x.URL.Hostname()
	if why := notPublicHost(host); why != "" {
		return nil, refused(host, "it is "+why)
	}
	return t.next.do(ctx, x)
}

// publicOnly connects only to addresses of the public internet. It resolves a host name
// for each connection, and all its addresses must be public. It dials a checked address
// instead of the name, because the name could change in between. It tries the addresses
// one after another, and they share the timeout. A refusal is a user error. If dial or
// lookup is nil, the function of the system is used.
func publicOnly(dial env.Dial, lookup env.Lookup, timeout time.Duration) env.Dial {
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		within, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		found, err := publicAddresses(within, lookup, host)
		if err != nil {
			return nil, err
		}
		return dialFirst(within, dial, network, found, port, timeout)
	}
}

func publicAddresses(ctx context.Context, lookup env.Lookup, host string) ([]netip.Addr, error) {
	if why := notPublicHost(host); why != "" {
		return nil, refused(host, "it is "+why)
	}
	found, err := lookup(ctx, host)
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	for i, ip := range found {
		ip = ip.Unmap() // the resolver of the system returns IPv4 addresses as IPv6
		found[i] = ip
		if why := notPublic(ip); why != "" {
			return nil, refused(host, fmt.Sprintf("it resolves to %s, which is %s", ip, why))
		}
	}
	return found, nil
}

func dialFirst(ctx context.Context, dial env.Dial, network string, to []netip.Addr, port string, timeout time.Duration) (conn net.Conn, err error) {
	for _, ip := range to {
		try, cancel := context.WithTimeout(ctx, timeout/time.Duration(len(to)))
		conn, err = dial(try, network, net.JoinHostPort(ip.String(), port))
		cancel()
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func refused(host, because string) error {
	return hostError(failure.Userf("the host %s is refused by --deny-private-networks: %s", host, because))
}

// notPublicHost describes a host that is not on the public internet according to its
// text: an address in any spelling that resolvers accept, or localhost. For any other
// host it returns "".
func notPublicHost(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	// net/http converts Unicode digits to ASCII too.
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = strings.TrimSuffix(ascii, ".")
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "this machine"
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return notPublic(ip)
	}
	if ip, ok := oldIPv4(host); ok {
		return notPublic(ip)
	}
	return ""
}

// oldIPv4 reads an address like the C library: one to four numbers, decimal, octal or
// hexadecimal. The last number fills all remaining bytes (127.1, 0x7f000001, 2130706433).
func oldIPv4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var address uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		n, err := strconv.ParseUint(part, 0, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		address = address<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}), true
}

// special are the ranges that IANA reserves, and public addresses where clouds document
// internal services for their virtual machines. Other clouds have these services at
// private or link-local addresses.
var special = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this machine"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "private to a provider"},
	{netip.MustParsePrefix("127.0.0.0/8"), "this machine"},
	{netip.MustParsePrefix("161.26.0.0/16"), "a service inside IBM Cloud"},
	{netip.MustParsePrefix("166.8.0.0/14"), "a service inside IBM Cloud"},
	{netip.MustParsePrefix("168.63.129.16/32"), "the metadata service of Azure"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "for documentation"},
	{netip.MustParsePrefix("192.80.8.124/32"), "the metadata service of Equinix Metal"},
	{netip.MustParsePrefix("192.88.99.0/24"), "reserved"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("198.18.0.0/15"), "for benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), "for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("::/127"), "this machine"},
	{netip.MustParsePrefix("2001::/32"), "a tunnel (Teredo)"},
	{netip.MustParsePrefix("2001::/23"), "reserved"},
	{netip.MustParsePrefix("2001:db8::/32"), "for documentation"},
	{netip.MustParsePrefix("2002::/16"), "a tunnel (6to4)"},
	{netip.MustParsePrefix("3fff::/20"), "for documentation"},
	{netip.MustParsePrefix("fc00::/7"), "private"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
}

var (
	// allPublic contains every public IPv6 address.
	allPublic = netip.MustParsePrefix("2000::/3")
	// translated contains the IPv4 addresses in the form that an IPv6-only network uses
	// (NAT64).
	translated = netip.MustParsePrefix("64:ff9b::/96")
)

// notPublic describes an address that is not on the public internet. For a public address
// it returns "". It checks the IPv4 address in an IPv6 form of one.
func notPublic(ip netip.Addr) string {
	ip = ip.Unmap().WithZone("")
	if translated.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	for _, s := range special {
		if s.prefix.Contains(ip) {
			return s.what
		}
	}
	if ip.Is6() && !allPublic.Contains(ip) {
		return "reserved"
	}
	return ""
}
