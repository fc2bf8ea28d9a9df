// Package devstack is for trying the extractor on a laptop: a small web shop with
// an API (SampleAPI), a local platform (Serve), and a demo that runs the real
// component on both (Demo).
//
// The demo produces the same data on every machine and in every run: nothing is
// random, the only network is loopback, and the only clock is the given one. The
// package is not part of the component: nothing that cmd/extractor links may import
// it.
package devstack
