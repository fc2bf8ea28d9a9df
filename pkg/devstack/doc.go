// Package devstack is what a developer or newcomer runs on a laptop to see the
// extractor at work without an account anywhere: a small web shop with an API
// (Shop), a demonstration that runs the real component against it (Demo), and
// the short previews of the tables it wrote (WritePreviews).
//
// It promises the same data on every machine and in every run: no randomness,
// no network but loopback, no clock but the one given. It is not part of the
// component: nothing that cmd/extractor links may import it.
package devstack
