//go:build !unix

package app

// NoCoreDump does nothing: a crash leaves no core dump here.
func NoCoreDump() error { return nil }
