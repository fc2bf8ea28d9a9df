package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// keeper lets a run succeed although root jobs fail (`onFailure: keepOthers`). A failed job,
// with its child jobs, writes no table and moves no remembered value. Jobs that depend on it
// fail with it.
type keeper struct {
	run   *run
	roots []*rootJob // in the order of the run
	byJob map[*job]*rootJob
	// needing holds the root jobs by what they need, see dependencies.
	needing map[dependency][]*rootJob
	first   error // error of the first failed job
}

// rootJob is a root job with what it shares with others.
type rootJob struct {
	*job
	it       iteration
	provides []dependency
	failed   bool
}

// label returns the name of the job, with its iteration if there are several.
func (j *rootJob) label() string {
	if j.iteration == 0 {
		return j.name
	}
	return fmt.Sprintf("%s (iteration %d)", j.name, j.iteration)
}

// dependency is something that jobs share.
type dependency struct{ kind, of, name string }

// The kinds of dependencies, in the words of messages.
const (
	sharedTable = "table"
	sharedName  = "remembered name"
	// sharedNames are the names that members get, by the data type that they come from.
	sharedNames = "names of"
	// Files of all jobs share a directory, where equal names get numbers.
	sharedFiles = "directory"
)

// newKeeper returns the keeper of a run, or nil if the first failed job ends the run.
func newKeeper(r *run) *keeper {
	if !slices.ContainsFunc(r.program.iterations, func(it iteration) bool { return it.KeepOthers }) {
		return nil
	}
	k := &keeper{run: r, byJob: map[*job]*rootJob{}, needing: map[dependency][]*rootJob{}}
	r.program.eachIteration(func(it, first *iteration) {
		for _, j := range it.jobs {
			root := &rootJob{job: j, it: *it}
			provides, needs := dependencies(it, first.mappings, j)
			root.provides = provides
			for _, d := range needs {
				k.needing[d] = append(k.needing[d], root)
			}
			k.roots, k.byJob[j] = append(k.roots, root), root
		}
	})
	return k
}

// dependencies returns what a root job, with its child jobs, provides and what it needs. If a
// job fails, all jobs fail that need something that it provides. mappings belong to its
// bucket.
//
// To add a dependency, add its kind above and append it here: to provides at the job that
// others depend on, to needs at the jobs that depend on it, and to both if each depends on the
// other. Add it to a case tests/functional/cases/failing-kept-*.txtar, and to the jobs that
// tests/functional/parts_test.go generates.
func dependencies(it *iteration, mappings mapping.Mappings, root *job) (provides, needs []dependency) {
	both := func(kind, of, name string) {
		provides, needs = append(provides, dependency{kind, of, name}), append(needs, dependency{kind, of, name})
	}
	for _, j := range withChildren([]*job{root}) {
		if !j.NotStored {
			for _, name := range knownTables(mappings, j) {
				both(sharedTable, "", csvtable.Table{Bucket: it.Bucket, Name: name}.FileName())
			}
		}
		for _, feed := range j.feeds {
			provides = append(provides, dependency{sharedNames, it.Key, feed.dataType})
		}
		if j.source != nil {
			needs = append(needs, dependency{sharedNames, it.Key, j.source.dataType})
		}
		if j.format.IsFile() {
			both(sharedFiles, "", "out/files")
		}
		for _, m := range j.remembers {
			both(sharedName, it.Key, m.name)
		}
		for _, name := range j.rememberedNames {
			if slices.ContainsFunc(it.remembers, func(m rememberEntry) bool { return m.name == name && !m.ofLogin }) {
				both(sharedName, it.Key, name)
			}
		}
	}
	return unique(provides), unique(needs)
}

// knownTables returns the names of the tables of a job that are known before it runs. Tables
// with computed names and one mapping share its child tables, so their jobs share all
// tables of the mapping.
func knownTables(mappings mapping.Mappings, j *job) []string {
	switch {
	case j.ComputedDataType == nil:
		return mappings.TableNames(j.DataType)
	case j.Mapping != "":
		return mappings.TableNames(j.Mapping)
	default:
		return nil
	}
}

func unique(all []dependency) []dependency {
	slices.SortFunc(all, func(a, b dependency) int {
		return strings.Compare(a.kind+"\x00"+a.of+"\x00"+a.name, b.kind+"\x00"+b.of+"\x00"+b.name)
	})
	return slices.Compact(all)
}

// hasFailed reports whether a root job does not run, because it depends on a failed job.
func (k *keeper) hasFailed(j *job) bool { return k != nil && k.byJob[j].failed }

// keep takes the error of a root job. It returns nil if the others continue, otherwise the
// error, which ends the run.
func (k *keeper) keep(ctx context.Context, j *job, err error) error {
	if err == nil || k == nil || !k.byJob[j].it.KeepOthers || !concernsJob(ctx, err) {
		return err
	}
	if k.first == nil {
		k.first = err
	}
	root := k.byJob[j]
	mask := k.run.Secrets.Mask
	text := textfmt.Cut(textfmt.Printable(strings.Join(strings.Fields(mask(err.Error())), " ")), maxErrorText)
	if !k.fail(root, event.JobFailed{Error: text, Pointer: failure.PointerOf(err)}) {
		return err
	}
	if k.allFailed() {
		return k.everyJobFailed()
	}
	return nil
}

// maxErrorText is the maximum length, in bytes, of an error in an event. An error may contain
// a URL of any length.
const maxErrorText = 64 << 10

// concernsJob reports whether an error of a job leaves other jobs unaffected.
func concernsJob(ctx context.Context, err error) bool {
	return ctx.Err() == nil && failure.KindOf(err) == failure.User && !isLimit(err) &&
		!errors.Is(err, auth.ErrLogin) && !errors.Is(err, httpclient.ErrHostRefused)
}

// fail marks a root job as failed, and then the jobs that depend on it. It returns false if
// a job among them may not fail alone.
func (k *keeper) fail(root *rootJob, e event.JobFailed) bool {
	if !k.mark(root, e) {
		return false
	}
	for failed := []*rootJob{root}; len(failed) > 0; failed = failed[1:] {
		for _, d := range failed[0].provides {
			for _, other := range k.needing[d] {
				if other.failed {
					continue
				}
				if !k.mark(other, event.JobFailed{With: failed[0].label(), Shared: d.kind + " '" + d.name + "'"}) {
					return false
				}
				failed = append(failed, other)
			}
		}
	}
	return true
}

// mark marks one root job as failed. It returns false if the job may not fail alone.
func (k *keeper) mark(root *rootJob, e event.JobFailed) bool {
	if !root.it.KeepOthers {
		return false
	}
	root.failed = true
	e.Job, e.JobPointer, e.Iteration = root.name, root.Pointer, root.iteration
	e.Pointer = cmp.Or(e.Pointer, root.Pointer)
	k.run.ledger.record(e)
	k.leaveOut(root)
	return true
}

// leaveOut removes the rows of a failed job, and keeps its previous values in the state.
func (k *keeper) leaveOut(root *rootJob) {
	r := k.run
	values := r.iterationValues[root.it.Key]
	for _, j := range withChildren([]*job{root.job}) {
		for _, m := range j.remembers {
			values.HoldAll(m.name)
		}
		if !j.NotStored { // otherwise the rows belong to another job
			r.tables.drop(root.it.Bucket, j)
		}
	}
	if root.readsPreviousStart() {
		r.time.Hold()
	}
	r.ledger.forgetRemaining(root.job)
}

// failSharing fails the jobs that share a table with a failed job. Lists in the items of
// automatic tables become tables, too, and two tables may have the same name, which
// is known only from their items.
func (k *keeper) failSharing() error {
	if k == nil || k.first == nil {
		return nil
	}
	for changed := true; changed; {
		changed = false
		taken := map[string]*rootJob{} // tables of failed jobs
		for _, root := range k.roots {
			for _, name := range k.tableNames(root) {
				if root.failed && taken[name] == nil {
					taken[name] = root
				}
			}
		}
		for _, root := range k.roots {
			if root.failed {
				continue
			}
			for _, name := range k.tableNames(root) {
				other := taken[name]
				if other == nil {
					continue
				}
				if !k.fail(root, event.JobFailed{With: other.label(), Shared: sharedTable + " '" + name + "'"}) {
					return k.first
				}
				changed = true
				break
			}
		}
	}
	if k.allFailed() {
		return k.everyJobFailed()
	}
	return nil
}

// filesFailed reports whether jobs with files failed.
func (k *keeper) filesFailed() bool {
	return k != nil && slices.ContainsFunc(k.roots, func(root *rootJob) bool {
		return root.failed && slices.ContainsFunc(root.provides, func(d dependency) bool { return d.kind == sharedFiles })
	})
}

// tableNames returns the names of the files of a job's tables.
func (k *keeper) tableNames(root *rootJob) []string {
	var names []string
	for _, j := range withChildren([]*job{root.job}) {
		if j.NotStored {
			continue
		}
		for _, name := range k.run.tables.namesOf(root.it.Bucket, j) {
			names = append(names, csvtable.Table{Bucket: root.it.Bucket, Name: name}.FileName())
		}
	}
	for _, d := range root.provides {
		if d.kind == sharedTable {
			names = append(names, d.name)
		}
	}
	return names
}

func (k *keeper) allFailed() bool {
	return !slices.ContainsFunc(k.roots, func(root *rootJob) bool { return !root.failed })
}

// everyJobFailed returns the error of a run without a job that succeeded.
func (k *keeper) everyJobFailed() error {
	if len(k.roots) == 1 {
		return k.first
	}
	return failure.Wrap("every job failed; the first error", "", k.first)
}

// names returns the names of the failed jobs.
func (k *keeper) names() []string {
	if k == nil {
		return nil
	}
	var all []string
	for _, root := range k.roots {
		if root.failed {
			all = append(all, root.label())
		}
	}
	return all
}
