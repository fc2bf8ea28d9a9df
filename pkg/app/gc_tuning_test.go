package app

import (
	"math"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

func files(pairs ...string) fstest.MapFS {
	root := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		root[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return root
}

func TestContainerMemory(t *testing.T) {
	const none = math.MaxInt64
	rows := []struct {
		name string
		root fstest.MapFS
		want int64
	}{
		{"no control groups", files(), none},
		{"version 2 in a container", files("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "67108864\n"), 64 << 20},
		{"version 2 without limit", files("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "max\n"), none},
		{"version 2 without file", files("proc/self/cgroup", "0::/\n"), none},
		{"version 2, limit of its own", files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/a/b/memory.max", "1000\n"), 1000},
		{"version 2, lower limit above", files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/memory.max", "500\n", "sys/fs/cgroup/a/b/memory.max", "1000\n"), 500},
		{"version 1", files("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "3000\n"), 3000},
		{"version 1 seen from inside", files("proc/self/cgroup", "4:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "3000\n"), 3000},
		{"version 1 without limit", files("proc/self/cgroup", "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), none},
		{"path that leads out", files("proc/self/cgroup", "0::/../../x\n", "sys/fs/cgroup/memory.max", "7\n"), 7},
		{"broken", files("proc/self/cgroup", "nothing\n\n0::", "sys/fs/cgroup/memory.max", "a lot"), none},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := containerMemory(row.root); got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
		})
	}
}

func TestTuneMemory(t *testing.T) {
	root := files("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "4000000000\n")
	rows := []struct {
		name    string
		env     map[string]string
		percent int
		limit   int64
	}{
		{"nothing said", nil, heapGrowth, 3_000_000_000},
		{"GOGC said", map[string]string{"GOGC": "100"}, 100, 3_000_000_000},
		{"GOMEMLIMIT said", map[string]string{"GOMEMLIMIT": "1GiB"}, heapGrowth, math.MaxInt64},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
			TuneMemory(root, func(name string) string { return row.env[name] })
			if got := debug.SetGCPercent(percent); got != row.percent {
				t.Errorf("growth of the heap: got %d, want %d", got, row.percent)
			}
			if got := debug.SetMemoryLimit(limit); got != row.limit {
				t.Errorf("limit: got %d, want %d", got, row.limit)
			}
		})
	}
}
