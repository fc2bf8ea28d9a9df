// Package platform tests the local platform and the client commands as whole
// processes: `devstack serve` with a data directory of its own, the component
// that it starts, `extractor` as a client, and a sample API in the test to
// extract from.
//
// It promises that all of it stays on loopback, that no test sleeps (it polls
// every few milliseconds, up to a deadline), and that no
// process outlives its test. It holds no code but tests.
package platform
