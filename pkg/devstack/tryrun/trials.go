package tryrun

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Options configures all tries. All fields are required.
type Options struct {
	// Dir is the directory of the tries. New removes its contents.
	Dir string
	// Run runs the component once. See sandbox.Sandbox.
	Run func(ctx context.Context, spec sandbox.Spec, log func(sandbox.Record)) (sandbox.Data, sandbox.Exit, error)
	// Prepare returns the spec of a job with a configuration of its own, and the events
	// that such a job has before the component starts. See queue.Try.
	Prepare func(store.Job) (sandbox.Spec, []sandbox.Record, error)
	Now     func() time.Time
	// Report receives errors of the platform, which users of a try do not see.
	Report func(error)
}

// ErrBusy means that the maximum number of tries is running.
var ErrBusy = errors.New("other tries are running: wait for them to end, or cancel one")

// ErrClosed means that Trials is closed.
var ErrClosed = errors.New("the local platform is shutting down")

const (
	// parallel is the maximum number of running tries.
	parallel = 4
	// keptTries is the number of tries to keep for each configuration, mostKept the number
	// of tries to keep in total, and maxAge how long to keep them.
	keptTries, mostKept = 5, 50
	maxAge              = 24 * time.Hour
)

// grace is the time that a try may run beyond its time limit before it is killed.
const grace = 30 * time.Second

// Trials starts tries and keeps them. It is safe for concurrent use.
type Trials struct {
	o       Options
	workers sync.WaitGroup
	stop    context.CancelFunc
	ctx     context.Context

	mu      sync.Mutex
	running int
	closed  bool
	all     []*Try // oldest first
	latest  latestIndex
}

// latestIndex holds the index of the try that was shown last. One index is enough for one
// person. Its size is bounded by the maximum number of requests of a try.
type latestIndex struct {
	mu    sync.Mutex
	try   *Try
	index *Index
}

// New creates the directory of tries. It removes the tries of an earlier process.
func New(o Options) (*Trials, error) {
	if o.Run == nil || o.Prepare == nil || o.Dir == "" || o.Now == nil || o.Report == nil {
		return nil, failure.Applicationf("tries need a directory and all functions")
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		o.Report(failure.Applicationf("cannot remove earlier tries: %w", err))
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, failure.Applicationf("cannot make the directory for tries: %w", err)
	}
	t := &Trials{o: o}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t, nil
}

// Close cancels all tries, waits for them, and removes them.
func (ts *Trials) Close() error {
	ts.mu.Lock()
	ts.closed = true
	ts.mu.Unlock()
	ts.stop()
	ts.workers.Wait()
	return os.RemoveAll(ts.o.Dir)
}

// Input is the input of a try.
type Input struct {
	Component, Config string
	// Document is the configuration as the editor has it, saved or not.
	Document []byte
	// Values are the values of variables. If nil, the values that the configuration names
	// are used.
	Values []store.Variable
	Limits Limits
	// From is a try with a recording. Its responses are replayed, and the API gets no
	// requests. If nil, the requests go to the API.
	From *Try
}

// Start starts a try. It returns ErrBusy if too many tries are running, and ErrClosed after
// Close.
func (ts *Trials) Start(r Input) (*Try, error) {
	if err := r.Limits.check(); err != nil {
		return nil, err
	}
	t := &Try{latest: &ts.latest, done: make(chan struct{}), values: r.Values}
	t.info = State{ID: rand.Text(), Component: r.Component, Config: r.Config, Limits: r.Limits, Replayed: r.From != nil, Status: Running, Started: ts.o.Now()}
	t.dir = filepath.Join(ts.o.Dir, t.info.ID)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.closed {
		return nil, ErrClosed
	}
	if ts.running >= parallel {
		return nil, ErrBusy
	}
	if err := t.prepare(r.From); err != nil {
		return nil, errors.Join(err, os.RemoveAll(t.dir))
	}
	ctx, cancel := context.WithCancel(ts.ctx)
	t.cancel = cancel
	// The job runs the same configuration with the same values.
	spec, said, err := ts.o.Prepare(store.Job{
		ID: t.info.ID, Component: r.Component, Config: r.Config, ConfigData: r.Document, Mode: store.Run,
		VariableValuesData: store.ValuesData(r.Values),
	})
	for _, one := range said {
		t.record(one)
	}
	ts.running++
	ts.all = append(ts.all, t)
	ts.forget()
	ts.workers.Go(func() {
		defer cancel()
		defer close(t.done)
		t.run(ctx, ts.o, r, spec, err)
		ts.mu.Lock()
		ts.running--
		ts.mu.Unlock()
	})
	return t, nil
}

// forget removes tries that are too old or too many. It keeps running tries. The caller
// holds the lock.
func (ts *Trials) forget() {
	kept, count := map[string]int{}, 0
	var all []*Try
	for _, t := range slices.Backward(ts.all) {
		info := t.Info()
		key := info.Component + "\n" + info.Config
		kept[key]++
		count++
		if info.Running() || kept[key] <= keptTries && count <= mostKept && ts.o.Now().Sub(info.Started) < maxAge {
			all = append(all, t)
			continue
		}
		if err := os.RemoveAll(t.dir); err != nil {
			ts.o.Report(failure.Applicationf("cannot remove a try: %w", err))
		}
	}
	slices.Reverse(all)
	ts.all = all
}

// Get returns the try with this id. ok is false if there is no such try.
func (ts *Trials) Get(id string) (t *Try, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	i := slices.IndexFunc(ts.all, func(t *Try) bool { return t.info.ID == id }) // the id never changes
	if i < 0 {
		return nil, false
	}
	return ts.all[i], true
}

// Of returns the tries of a configuration, newest first.
func (ts *Trials) Of(component, config string) []*Try {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var found []*Try
	for _, t := range slices.Backward(ts.all) {
		if t.info.Component == component && t.info.Config == config {
			found = append(found, t)
		}
	}
	return found
}

// prepare creates the directory of the try. For a replay it adds a hard link to the
// recording.
func (t *Try) prepare(from *Try) error {
	if err := os.Mkdir(t.dir, 0o700); err != nil {
		return failure.Applicationf("cannot make the directory of a try: %w", err)
	}
	if from != nil {
		source := from.recording()
		if source == "" {
			return failure.Userf("That try has no recording to replay.")
		}
		if err := os.Link(source, filepath.Join(t.dir, sourceName)); err != nil {
			return failure.Applicationf("cannot use the recording of an earlier try: %w", err)
		}
	}
	return nil
}

// recording returns the path of the recording with the responses of the API. For a replay
// this is the recording that was replayed. It returns "" if there is no recording.
func (t *Try) recording() string {
	for _, name := range []string{sourceName, recordingName} {
		file := filepath.Join(t.dir, name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// run runs the component and keeps its recording, report, tables and files. A try that could not
// be prepared ends with the error.
func (t *Try) run(ctx context.Context, o Options, r Input, spec sandbox.Spec, err error) {
	if err != nil {
		message := err.Error()
		if failure.KindOf(err) != failure.User {
			o.Report(fmt.Errorf("a try: %w", err))
			message = internal
		}
		t.finish(o, Failed, message)
		return
	}
	spec.Timeout = r.Limits.Time + grace
	spec.Args = func(data string) []string { return arguments(data, r.Limits, r.From != nil) }
	if r.From != nil {
		spec.Files = map[string]string{sourceName: filepath.Join(t.dir, sourceName)}
	}
	data, exit, err := o.Run(ctx, spec, t.record)
	if err == nil {
		err = errors.Join(t.keep(data.Dir), data.Remove(), t.saveIndex())
	}
	status, message := Success, ""
	switch {
	case ctx.Err() != nil:
		status, message = Cancelled, "The try was cancelled."
	case err != nil:
		status, message = Failed, internal
		o.Report(fmt.Errorf("a try: %w", err))
	case exit.TimedOut:
		status, message = Failed, "The component did not end in time and was killed."
	case exit.OutOfMemory:
		status, message = Failed, "The component ran out of memory."
	case exit.Code == failure.ExitLimitReached:
		status, message = Limited, exit.Message
	case exit.Code != failure.ExitOK:
		status, message = Failed, exit.Message
	}
	t.finish(o, status, message)
}

func arguments(data string, l Limits, replay bool) []string {
	in := func(name string) string { return path.Join(filepath.ToSlash(data), sandbox.FilesDir, name) }
	args := []string{
		"--sample", strconv.Itoa(l.Sample), "--max-requests", strconv.Itoa(l.Requests), "--max-time", l.Time.String(),
		"--max-bytes", strconv.FormatInt(l.Bytes, 10), "--record", in(recordingName), "--report", in(reportName),
	}
	if replay {
		args = append(args, "--replay", in(sourceName))
	}
	return args
}

// keep moves the results of the component into the directory of the try. It moves only
// regular files with known names, and the files of out/tables and out/files.
func (t *Try) keep(data string) error {
	root, err := os.OpenRoot(data)
	if err != nil {
		return err
	}
	defer root.Close()
	for from, to := range map[string]string{
		path.Join(sandbox.FilesDir, recordingName):             recordingName,
		path.Join(sandbox.FilesDir, reportName, "report.json"): path.Join(reportName, "report.json"),
	} {
		if info, err := root.Lstat(from); err != nil || !info.Mode().IsRegular() {
			continue // the component was killed before it wrote the file
		}
		if err := move(filepath.Join(data, from), filepath.Join(t.dir, to)); err != nil {
			return err
		}
	}
	return errors.Join(t.keepAll(root, data, "tables", tablesName), t.keepAll(root, data, "files", filesName))
}

// keepAll moves the files of a directory in out.
func (t *Try) keepAll(root *os.Root, data, from, to string) error {
	entries, err := fs.ReadDir(root.FS(), "out/"+from) // fails if a link leads out of data
	if from == "files" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, file := range entries {
		if !file.Type().IsRegular() {
			continue
		}
		if err := move(filepath.Join(data, "out", from, file.Name()), filepath.Join(t.dir, to, file.Name())); err != nil {
			return err
		}
	}
	return nil
}

func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Rename(from, to)
}

const internal = "The try could not be run. The reason is in the terminal where the local platform runs."

func (t *Try) finish(o Options, status Status, message string) {
	_, missing := os.Stat(filepath.Join(t.dir, recordingName))
	t.change(func(i *State) {
		i.Status, i.Message, i.Ended, i.Recorded = status, message, o.Now(), missing == nil
	})
}
