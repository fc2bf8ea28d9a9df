//go:build !unix

package app

// NoCoreDump does nothing on systems without core dumps.
func NoCoreDump() error { return nil }
