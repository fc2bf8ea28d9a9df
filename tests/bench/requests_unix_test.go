//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/env"
)

// requests is how many small requests one operation of these benchmarks sends.
const requests = 2000

// BenchmarkRequests measures what one small request costs in a run: a response is
// one item. The API is a process of its own, so CPU-µs/request is that of the
// client alone. BenchmarkBareRequests is the floor for it.
func BenchmarkRequests(b *testing.B) {
	for _, concurrency := range []int{1, 16} {
		b.Run(fmt.Sprintf("concurrency=%d", concurrency), func(b *testing.B) {
			perRequest(b, func(b *testing.B, url string) { runChildren(b, url, concurrency) })
		})
	}
}

// BenchmarkBareRequests sends the same requests with net/http alone and reads the
// answers.
func BenchmarkBareRequests(b *testing.B) {
	for _, concurrency := range []int{1, 16} {
		b.Run(fmt.Sprintf("concurrency=%d", concurrency), func(b *testing.B) {
			perRequest(b, func(b *testing.B, url string) { getChildren(b, url, concurrency) })
		})
	}
}

// perRequest reports the CPU time of a request.
func perRequest(b *testing.B, send func(b *testing.B, url string)) {
	api, err := startAPI(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer api.stop()
	b.ReportAllocs()
	before, n := cpuTime(b), 0
	for b.Loop() {
		send(b, api.url)
		n += requests
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(n), "CPU-µs/request")
}

func runChildren(b *testing.B, url string, concurrency int) {
	config, err := document(object{
		"api": object{
			"baseUrl":        url,
			"http":           object{"concurrency": concurrency, "headers": object{"X-Token": object{"attr": "#token"}}},
			"authentication": object{"type": "basic"},
		},
		"config": object{"username": "ann", "#password": "a password", "#token": "a-token-of-some-length", "jobs": []object{{
			"endpoint": fmt.Sprintf("parents?count=%d", requests),
			"dataType": "parents",
			"children": []object{{"endpoint": "parents/{id}/child", "dataType": "children", "placeholders": object{"id": "id"}}},
		}}},
	})
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), config, 0o644); err != nil {
		b.Fatal(err)
	}
	var stderr bytes.Buffer
	code := app.Run(context.Background(), app.Options{
		DataDir: dir, LogFormat: "json", Stdout: io.Discard, Stderr: &stderr, Run: env.Run{Getenv: func(string) string { return "" }},
	})
	if code != 0 {
		b.Fatalf("exit %d: %s", code, &stderr)
	}
}

func getChildren(b *testing.B, url string, concurrency int) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency}}
	defer client.CloseIdleConnections()
	var workers sync.WaitGroup
	for worker := range concurrency {
		workers.Go(func() {
			for id := worker; id < requests; id += concurrency {
				res, err := client.Get(fmt.Sprintf("%s/parents/%d/child", url, id))
				if err == nil {
					_, err = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	workers.Wait()
}

// cpuTime is what this process has used so far.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
