package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// peakMemory is the largest resident memory of a process that has ended, in
// bytes.
func peakMemory(state *os.ProcessState) int64 {
	if r, ok := state.SysUsage().(*syscall.Rusage); ok {
		return r.Maxrss << 10
	}
	return 0
}

// ownPeak is the largest resident memory of this process since its exec.
func ownPeak() int64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) == 3 && f[0] == "VmHWM:" {
			kib, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
