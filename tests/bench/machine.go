package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine is where a report was made.
type machine struct {
	CPU  string `json:"cpu"`
	CPUs int    `json:"cpus"`
	OS   string `json:"os"`
	Go   string `json:"go"`
	Load string `json:"load,omitempty"` // before the first round, of the last minute
}

// thisMachine says what the system reports; the model and the load are known on
// Linux only.
func thisMachine() machine {
	m := machine{CPU: "unknown CPU", CPUs: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			name, model, found := strings.Cut(line, ":")
			if found && strings.TrimSpace(name) == "model name" {
				m.CPU = strings.TrimSpace(model)
				break
			}
		}
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load, _, _ = strings.Cut(string(text), " ")
	}
	return m
}

// String is one line.
func (m machine) String() string {
	s := fmt.Sprintf("%s, %d CPUs, %s, %s", m.CPU, m.CPUs, m.OS, m.Go)
	if m.Load != "" {
		s += ", load before " + m.Load
	}
	return s
}
