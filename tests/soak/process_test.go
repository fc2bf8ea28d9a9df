package soak

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sample is what a process holds at one moment.
type sample struct {
	requests int // that the API has received
	memory   int // resident, in bytes
	files    int // open file descriptors
}

// look reads a sample of a process from /proc.
func look(pid int) (sample, error) {
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return sample{}, err
	}
	memory, err := residentMemory(pid)
	return sample{memory: memory, files: len(files)}, err
}

func residentMemory(pid int) (int, error) {
	status, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	defer status.Close()
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) == 3 && f[0] == "VmRSS:" {
			kib, err := strconv.Atoi(f[1])
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("process %d has no resident memory: %w", pid, lines.Err())
}

// watch takes samples of a process until it has ended.
func watch(pid int, every time.Duration, requests func() int, ended <-chan struct{}) []sample {
	var all []sample
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		// A process that is just ending has nothing to be read any more.
		if s, err := look(pid); err == nil {
			s.requests = requests()
			all = append(all, s)
		}
		select {
		case <-tick.C:
		case <-ended:
			return all
		}
	}
}

// holding is what a process held during a part of its run.
type holding struct {
	samples                   int
	memory, mostMemory, files int // the middle of the memory, and the peaks
}

func (h holding) String() string {
	return fmt.Sprintf("%4d samples, memory %5.1f MB, at most %5.1f MB, at most %d files",
		h.samples, float64(h.memory)/1e6, float64(h.mostMemory)/1e6, h.files)
}

// held sums up samples.
func held(samples []sample) holding {
	h := holding{samples: len(samples)}
	var memory []int
	for _, s := range samples {
		memory = append(memory, s.memory)
		h.files = max(h.files, s.files)
	}
	if len(memory) > 0 {
		slices.Sort(memory)
		h.memory, h.mostMemory = memory[len(memory)/2], memory[len(memory)-1]
	}
	return h
}

// quarters parts samples by how many of all requests had come. What is after
// the last request, when tables are written, is the fifth part.
func quarters(samples []sample, requests int) (parts [5]holding) {
	var by [5][]sample
	for _, s := range samples {
		by[min(4, 4*s.requests/requests)] = append(by[min(4, 4*s.requests/requests)], s)
	}
	for i := range by {
		parts[i] = held(by[i])
	}
	return parts
}
