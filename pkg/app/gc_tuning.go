package app

import (
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// heapGrowth is the value of GOGC. The live heap is a few megabytes for any amount of data.
// With the default of 100 the collector would run constantly; with 200 it first runs at 8
// MB.
const heapGrowth = 200

// TuneMemory configures the garbage collector for a container: it allows more garbage than
// the default and sets a memory limit below the limit of the container. GOGC and GOMEMLIMIT
// override this. It affects the whole process, so the program must call it. root is the
// root of the file system.
func TuneMemory(root fs.FS, getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit := containerMemory(root); limit < math.MaxInt64 {
		// The remaining quarter is for memory outside the Go heap, such as the program
		// itself.
		debug.SetMemoryLimit(limit / 4 * 3)
	}
}

// containerMemory returns the lowest memory limit of the control groups of the process, in
// bytes, or math.MaxInt64 if there is no limit.
func containerMemory(root fs.FS) int64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return math.MaxInt64
	}
	lowest := int64(math.MaxInt64)
	for line := range strings.Lines(string(groups)) {
		// A line is number:controllers:path. In version 2 controllers is empty.
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		mount, file := "sys/fs/cgroup", "memory.max"
		if parts[1] == "memory" {
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		// The limits of parent groups apply too.
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			lowest = min(lowest, memoryLimit(root, path.Join(mount, group, file)))
			if group == "/" {
				break
			}
		}
	}
	return lowest
}

// memoryLimit returns the limit in a file, or math.MaxInt64 if there is no limit. Without a
// limit, the file has "max" in version 2 and an unrealistically high number in version 1.
func memoryLimit(root fs.FS, file string) int64 {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return math.MaxInt64
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || limit <= 0 || limit >= 1<<60 {
		return math.MaxInt64
	}
	return limit
}
