package ramdisk

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// room is how many bytes of memory must be available.
const minMemory = 4 << 30

// dir returns a directory in memory with enough room, "" without one.
func dir() string {
	const shared = "/dev/shm"
	var disk syscall.Statfs_t
	if syscall.Statfs(shared, &disk) != nil || syscall.Access(shared, 7) != nil {
		return ""
	}
	if disk.Bavail*uint64(disk.Bsize) < minMemory || availableMemory() < minMemory {
		return ""
	}
	return shared
}

// available is the memory that programs can get, in bytes: what is free, and what
// that the kernel's cache of files returns. It is 0 if it is not known.
func availableMemory() (bytes uint64) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "MemAvailable: %d kB", &bytes); err == nil {
			return bytes << 10
		}
	}
	return 0
}
