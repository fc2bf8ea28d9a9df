// Package functional tests the component as a whole and from outside: a data
// directory goes in, requests reach a real HTTP server, tables, state, events
// and an exit code come out. README.md describes how a case looks.
//
// It promises that no test waits and that nothing leaves loopback: the clock,
// the sleeps, the dialling and the environment are the test's own. It holds no
// code but tests.
package functional
