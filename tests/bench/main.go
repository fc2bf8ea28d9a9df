// Command bench measures the extractor as a whole process against an API on the
// loopback interface, beside a floor: the least program that fetches the same
// pages and writes the same cells.
//
//	go run ./tests/bench                      everything, some minutes
//	go run ./tests/bench --workload A,B       some workloads, and those their goals need
//	go run ./tests/bench --scale 0.1          smaller ones; the goals are meant for 1
//	go run ./tests/bench --check              exit code 1 when a goal is missed
//
// The API runs in a process of its own and every measured process is started by
// a small launcher, so that CPU time and peak memory are those of the measured
// process alone. docs/understand/performance.md says how to read the table.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	if code, ok := playRole(); ok {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := bench(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(code)
}

// settings are what the command line says.
type settings struct {
	extractor string
	names     string
	rounds    int
	scale     float64
	temp      string
	json      bool
	check     bool
	// development saves time when the programs are built, see build; for tests.
	development bool
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.extractor, "extractor", "", "path of an extractor binary (default: built from this checkout)")
	flags.StringVar(&s.names, "workload", "", "names of workloads, parted by commas (default: all)")
	flags.IntVar(&s.rounds, "rounds", 0, "rounds of every workload (default: as each one says)")
	flags.Float64Var(&s.scale, "scale", 1, "factor of all sizes")
	flags.StringVar(&s.temp, "temp", "", "directory for binaries and tables, some GB at scale 1 (default: the system's)")
	flags.BoolVar(&s.json, "json", false, "print JSON instead of a table")
	flags.BoolVar(&s.check, "check", false, "exit code 1 when a goal is missed")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if s.scale <= 0 || s.rounds < 0 {
		return s, errors.New("scale and rounds must be positive")
	}
	return s, nil
}

// bench runs the program and returns its exit code.
func bench(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	s, err := parse(args, stderr)
	if err != nil {
		return 2, err
	}
	r, err := s.measure(ctx, stderr)
	if err != nil {
		return 2, err
	}
	write := r.writeTable
	if s.json {
		write = r.writeJSON
	}
	if err := write(stdout); err != nil {
		return 2, err
	}
	if s.check && !r.met() {
		return 1, errors.New("a goal was missed")
	}
	return 0, nil
}

// measure builds the programs, runs the workloads and leaves nothing behind.
func (s settings) measure(ctx context.Context, progress io.Writer) (_ report, err error) {
	list, err := choose(workloads(scaled(s.scale)), s.names)
	if err != nil {
		return report{}, err
	}
	temp, err := os.MkdirTemp(s.temp, "bench-*")
	if err != nil {
		return report{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	r := &runner{extractor: s.extractor, temp: temp, progress: progress}
	if err := r.build(ctx, s.development); err != nil {
		return report{}, err
	}
	rep := report{Machine: thisMachine(), Scale: s.scale}
	if r.api, err = startAPI(ctx); err != nil {
		return report{}, err
	}
	defer r.api.stop()
	if list, rep.Notes, err = r.possible(ctx, list); err != nil {
		return report{}, err
	}
	if s.scale != 1 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("Sizes are %g times those that the goals are meant for.", s.scale))
	}
	rep.Results, err = r.all(ctx, list, s.rounds)
	return rep, err
}

// build makes the binaries that are not there.
func (r *runner) build(ctx context.Context, development bool) (err error) {
	if r.floor, err = build(ctx, floorPackage, r.temp, development); err != nil || r.extractor != "" {
		return err
	}
	r.extractor, err = build(ctx, extractorPackage, r.temp, development)
	return err
}

// choose takes the named workloads and those their goals need, in the order of
// the list.
func choose(list []workload, names string) ([]workload, error) {
	if names == "" {
		return list, nil
	}
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(list, func(w workload) bool { return w.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no workload %q", name)
		}
		wanted[name] = true
		if needs := list[i].needs; needs != "" {
			wanted[needs] = true
		}
	}
	return slices.DeleteFunc(list, func(w workload) bool { return !wanted[w.name] }), nil
}

// possible leaves out what the extractor cannot do, with a note for each.
func (r *runner) possible(ctx context.Context, list []workload) (able []workload, notes []string, err error) {
	for _, w := range list {
		ok := w.trial == nil
		if !ok {
			if ok, err = r.accepts(ctx, w.trial); err != nil {
				return nil, nil, err
			}
		}
		if ok {
			able = append(able, w)
		} else {
			notes = append(notes, w.name+" was left out: this extractor does not know its settings.")
		}
	}
	return able, notes, nil
}
