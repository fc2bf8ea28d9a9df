//go:build !linux

package ramdisk

func dir() string { return "" }
