package ramdisk

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// minMemory is the minimum of available memory in bytes.
const minMemory = 4 << 30

// dir returns a directory in memory, or "" if less than minMemory is available.
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

// availableMemory returns the memory, in bytes, that programs can allocate: free
// memory, and the part of the kernel's file cache that can be reclaimed. It returns 0
// if the size is unknown.
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
