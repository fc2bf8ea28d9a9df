package app

import (
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// heapGrowth is how many percent the heap may grow over what is alive before
// it is collected. What is alive is a few megabytes whatever the amount of data,
// so with the usual 100 the collector would run all the time; with this one it
// first runs at 8 MB.
const heapGrowth = 200

// TuneMemory fits the garbage collector to a run in the container: it may leave
// more garbage than usual, but keeps away from the container's memory limit. What
// the user says with GOGC and GOMEMLIMIT stays. It concerns the whole process, so
// it is the program's to call, with the root of the file system.
func TuneMemory(root fs.FS, getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit := containerMemory(root); limit < math.MaxInt64 {
		// The rest is for what is not the runtime's, such as the program itself.
		debug.SetMemoryLimit(limit / 4 * 3)
	}
}

// containerMemory is the lowest memory limit of the control groups around the
// process, in bytes; the largest number when there is none.
func containerMemory(root fs.FS) int64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return math.MaxInt64
	}
	lowest := int64(math.MaxInt64)
	for line := range strings.Lines(string(groups)) {
		// number:controllers:path, without controllers in version 2
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
		// A group is bound by those above it, too.
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			lowest = min(lowest, memoryLimit(root, path.Join(mount, group, file)))
			if group == "/" {
				break
			}
		}
	}
	return lowest
}

// memoryLimit is the limit in a file, the largest number when it holds none:
// version 2 says "max", version 1 something that no machine has.
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
