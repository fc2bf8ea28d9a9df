package main

import (
	"fmt"
	"time"
)

// goal is what a workload has to reach. Its measure reads the results of all
// workloads, of which the one it needs is there.
type goal struct {
	text    string
	measure func(r result, all map[string]result) (is string, met bool)
}

// megabyte is what the goals for memory count in.
const megabyte = 1_000_000

func cpuRatio(limit float64) goal {
	return goal{fmt.Sprintf("CPU ≤ %.3g × floor", limit), func(r result, _ map[string]result) (string, bool) {
		return times(r.Ratio.CPU), r.Ratio.CPU <= limit
	}}
}

// wallWithinCPU is a goal for the wall time beside the CPU time of the same process:
// work in the background must make up for the waiting for the API.
func wallWithinCPU() goal {
	return goal{"wall ≤ CPU", func(r result, _ map[string]result) (string, bool) {
		return times(r.Extractor.Wall.Seconds() / r.Extractor.CPU.Seconds()), r.Extractor.Wall <= r.Extractor.CPU
	}}
}

// peak is a goal for the memory; a system that does not report it never reaches it.
func peak(limit int64) goal {
	return goal{fmt.Sprintf("RSS ≤ %d MB", limit), func(r result, _ map[string]result) (string, bool) {
		p := r.Extractor.Peak
		return memory(r.Extractor), p > 0 && p <= limit*megabyte
	}}
}

// growth is a goal for the memory beside that of a smaller workload.
func growth(base string, percent float64) goal {
	return goal{fmt.Sprintf("RSS < %s + %.3g %%", base, percent), func(r result, all map[string]result) (string, bool) {
		small := float64(all[base].Extractor.Peak)
		if small == 0 {
			return "?", false
		}
		grown := 100 * (float64(r.Extractor.Peak)/small - 1)
		return fmt.Sprintf("%+.1f %%", grown), grown < percent
	}}
}

func wallBelow(limit time.Duration) goal {
	return goal{"wall ≤ " + duration(limit), func(r result, _ map[string]result) (string, bool) {
		return duration(r.Extractor.Wall), r.Extractor.Wall <= limit
	}}
}

// sameTables is reached by the very bytes of another workload.
func sameTables(base string) goal {
	return goal{"tables as in " + base, func(r result, all map[string]result) (string, bool) {
		if r.Tables.equal(all[base].Tables) {
			return "the same", true
		}
		return "others", false
	}}
}

// cpuPerByte compares the CPU time for each byte received with what the floor of
// another workload takes for one.
func cpuPerByte(base string, limit float64) goal {
	return goal{fmt.Sprintf("CPU/byte ≤ %.3g × floor of %s", limit, base), func(r result, all map[string]result) (string, bool) {
		floor := all[base].Floor.CPU.Seconds() / float64(all[base].Bytes)
		ratio := r.Extractor.CPU.Seconds() / float64(r.Bytes) / floor
		return times(ratio), ratio <= limit
	}}
}
