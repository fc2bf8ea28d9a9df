package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// runner runs workloads.
type runner struct {
	extractor, floor string // binaries
	temp             string // an existing directory for data directories
	api              *apiProcess
	progress         io.Writer
}

// result is what came out for one workload: the medians of all rounds.
type result struct {
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Rounds    int        `json:"rounds"`
	Bytes     int64      `json:"bytes"` // of bodies in one run
	Tables    tables     `json:"tables"`
	Extractor usage      `json:"extractor"`
	Floor     usage      `json:"floor"`
	Ratio     ratio      `json:"ratio"`
	Goals     []goalMark `json:"goals"`
}

// ratio is the extractor's median as a multiple of the floor's.
type ratio struct {
	Wall float64 `json:"wall"`
	CPU  float64 `json:"cpu"`
	Peak float64 `json:"peak"`
}

// goalMark is a goal and what was measured for it.
type goalMark struct {
	Goal string `json:"goal"`
	Is   string `json:"is"`
	Met  bool   `json:"met"`
}

// all runs the workloads one after another and then looks at their goals.
func (r *runner) all(ctx context.Context, list []workload, rounds int) ([]result, error) {
	var results []result
	byName := map[string]result{}
	for _, w := range list {
		n := w.rounds
		if rounds > 0 {
			n = rounds
		}
		res, err := r.workload(ctx, w, n)
		if err != nil {
			return nil, fmt.Errorf("workload %s: %w", w.name, err)
		}
		results = append(results, res)
		byName[w.name] = res
	}
	for i, w := range list {
		for _, g := range w.goals {
			is, met := g.measure(results[i], byName)
			results[i].Goals = append(results[i].Goals, goalMark{g.text, is, met})
		}
	}
	return results, nil
}

// workload runs floor and extractor in turn, so that both meet the same
// disturbances; who is first alternates.
func (r *runner) workload(ctx context.Context, w workload, rounds int) (result, error) {
	res := result{Name: w.name, Title: w.title, Rounds: rounds}
	var extractor, floor []usage
	for i := range rounds {
		var mine, its run
		var err error
		if i%2 == 0 {
			if its, err = r.runFloor(ctx, w); err == nil {
				mine, err = r.runExtractor(ctx, w)
			}
		} else {
			if mine, err = r.runExtractor(ctx, w); err == nil {
				its, err = r.runFloor(ctx, w)
			}
		}
		if err == nil {
			err = mine.tables.compare(its.tables, w.generated)
		}
		if err != nil {
			return res, err
		}
		fmt.Fprintf(r.progress, "%-4s round %d of %d: floor %s, extractor %s\n", w.name, i+1, rounds, duration(its.Wall), duration(mine.Wall))
		extractor, floor = append(extractor, mine.usage), append(floor, its.usage)
		res.Tables, res.Bytes = mine.tables, mine.bytes
	}
	res.Extractor, res.Floor = median(extractor), median(floor)
	res.Ratio = ratio{
		Wall: res.Extractor.Wall.Seconds() / res.Floor.Wall.Seconds(),
		CPU:  res.Extractor.CPU.Seconds() / res.Floor.CPU.Seconds(),
	}
	if res.Floor.Peak > 0 {
		res.Ratio.Peak = float64(res.Extractor.Peak) / float64(res.Floor.Peak)
	}
	return res, nil
}

// run is one process that has ended well.
type run struct {
	usage
	tables tables
	bytes  int64
}

func (r *runner) runExtractor(ctx context.Context, w workload) (run, error) {
	dir, err := r.dataDir(w)
	if err != nil {
		return run{}, err
	}
	command := []string{"run", "--data", dir}
	if w.command != nil {
		command = w.command(dir)
	}
	return r.run(ctx, dir, filepath.Join(dir, "out", "tables"), append([]string{r.extractor}, command...))
}

// dataDir makes a data directory with a configuration, where there is one.
func (r *runner) dataDir(w workload) (string, error) {
	dir, err := os.MkdirTemp(r.temp, "data-*")
	if err != nil || w.parameters == nil {
		return dir, err
	}
	config, err := document(w.parameters(r.api.url))
	if err != nil {
		return dir, err
	}
	return dir, os.WriteFile(filepath.Join(dir, "config.json"), config, 0o644)
}

func (r *runner) runFloor(ctx context.Context, w workload) (run, error) {
	dir, err := os.MkdirTemp(r.temp, "floor-*")
	if err != nil {
		return run{}, err
	}
	return r.run(ctx, dir, dir, append([]string{r.floor, "-out", dir}, w.floor(r.api.url)...))
}

// run measures a command, looks at its tables, and removes its directory.
func (r *runner) run(ctx context.Context, dir, out string, command []string) (run, error) {
	before, err := r.api.served(ctx)
	if err != nil {
		return run{}, err
	}
	l, err := measure(ctx, command...)
	if err != nil {
		return run{}, err
	}
	if l.Exit != 0 {
		return run{}, fmt.Errorf("%s ended with exit code %d: %s", strings.Join(command, " "), l.Exit, strings.TrimSpace(l.Stderr))
	}
	after, err := r.api.served(ctx)
	if err != nil {
		return run{}, err
	}
	written, err := readTables(out)
	if err != nil {
		return run{}, err
	}
	// What /served itself has sent is not a body of the workload; it is not counted.
	return run{usage: l.Usage, tables: written, bytes: after - before}, os.RemoveAll(dir)
}

// accepts reports whether the extractor knows all settings of a configuration.
func (r *runner) accepts(ctx context.Context, parameters func(api string) object) (bool, error) {
	dir, err := r.dataDir(workload{parameters: parameters})
	if err != nil {
		return false, err
	}
	l, err := measure(ctx, r.extractor, "run", "--strict", "--data", dir)
	if err != nil {
		return false, err
	}
	return l.Exit == 0, os.RemoveAll(dir)
}

// median is the median of each measure by itself; of an even number the lower
// middle one.
func median(all []usage) usage {
	return usage{
		Wall:  middle(all, func(u usage) time.Duration { return u.Wall }),
		CPU:   middle(all, func(u usage) time.Duration { return u.CPU }),
		Peak:  middle(all, func(u usage) int64 { return u.Peak }),
		Least: middle(all, func(u usage) int64 { return u.Least }),
	}
}

func middle[T int64 | time.Duration](all []usage, measure func(usage) T) T {
	values := make([]T, len(all))
	for i, u := range all {
		values[i] = measure(u)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
