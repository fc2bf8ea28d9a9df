//go:build !unix

package app

// NoCoreDump does nothing: there are no core dumps here.
func NoCoreDump() error { return nil }
