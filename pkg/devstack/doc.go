// Package devstack runs the extractor on a laptop for a trial: it has a small web shop with
// an API (SampleAPI), a local platform (Serve), and a demo that runs the real component
// with both (Demo).
//
// The demo produces the same data on every machine and in every run: it uses no random
// numbers, no network except loopback, and no clock except the given one. The package is
// not part of the component: packages that cmd/extractor links must not import it.
package devstack
