package main

import (
	"net"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every address to listen on is one of loopback unless it is given; "" is a free
// port of loopback.
func TestListenFlagsAreLoopback(t *testing.T) {
	found := 0
	for _, cmd := range []*cobra.Command{newServe(), newDemo(), newSampleAPI()} {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(f.Name, "listen") {
				return
			}
			found++
			if f.DefValue == "" {
				return
			}
			if host, _, err := net.SplitHostPort(f.DefValue); err != nil || !net.ParseIP(host).IsLoopback() {
				t.Errorf("%s --%s is %s by default, %v", cmd.Name(), f.Name, f.DefValue, err)
			}
		})
	}
	if found != 6 {
		t.Errorf("%d flags to listen", found)
	}
}
