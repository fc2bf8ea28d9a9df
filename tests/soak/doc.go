// Package soak runs the built extractor for a long time against an API that fails in
// every way that passes: does its memory grow, does it leave files open, is a
// row lost or stored twice?
//
// go test has a short form of it; SOAK_REQUESTS=1000000 requests the full one.
package soak
