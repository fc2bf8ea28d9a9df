package engine

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// nameSource is the origin of names: a data type, and two paths in its items.
type nameSource struct{ dataType, key, name string }

// compileNames connects the jobs that have `names` with the jobs that their names come
// from. These are jobs below earlier root jobs, because only root jobs run one after
// another.
func compileNames(roots []*job) {
	var earlier []*job
	for i, root := range roots {
		for _, j := range withChildren([]*job{root}) {
			if !j.Names.Present() || j.Names.Faulty() {
				continue
			}
			source := nameSource{config.NamesDataType.Of(j.Names), config.NamesKey.Of(j.Names), config.NamesName.Of(j.Names)}
			found := false
			for _, from := range earlier {
				if from.ComputedDataType == nil && from.DataType == source.dataType {
					if !slices.Contains(from.feeds, source) {
						from.feeds = append(from.feeds, source)
					}
					found = true
				}
			}
			if !found && source.dataType != "" {
				reportNoNames(j, source.dataType, earlier, roots[i:])
			}
			j.source = &source
		}
		earlier = append(earlier, withChildren([]*job{root})...)
	}
}

// reportNoNames reports that no earlier job has a data type. others are the root jobs that
// do not run before the job.
func reportNoNames(j *job, dataType string, earlier, others []*job) {
	isOf := func(other *job) bool { return other.ComputedDataType == nil && other.DataType == dataType }
	var names []string
	for _, other := range earlier {
		if other.ComputedDataType == nil && other.DataType != "" && !slices.Contains(names, other.DataType) {
			names = append(names, other.DataType)
		}
	}
	hint := failure.Text("no job runs before this one; add one that requests the names")
	if near, ok := failure.Nearest(dataType, names); ok {
		hint = "did you mean " + field.Quoted(near) + "?"
	} else if slices.ContainsFunc(withChildren(others), isOf) {
		hint = "only the jobs in front of it in \"jobs\", with their child jobs, have ended when it begins: move the job with this data type to the front of \"jobs\""
	} else if len(names) > 0 {
		hint = "there are " + field.List(names)
	}
	config.NamesDataType.In(j.Names).Problem("expected the data type of a job that runs before this one", hint)
}

// maxNames is the maximum size, in bytes, of the names for one job.
const maxNames = 16 << 20

// nameOverhead is the memory, in bytes, that a name needs beside its text.
const nameOverhead = 64

// nameSet holds the names of one source. It is complete when the first job reads it.
type nameSet struct {
	nameSource
	byKey map[string]string
	size  int
	// families holds the sorted keys of each name. It is made when the first job reads it.
	families map[string][]string
}

// add adds the name of an item. It ignores an item without key or name.
func (s *nameSet) add(row value.Packed) error {
	key, name := textAt(row, s.key), textAt(row, s.name)
	if key == "" || name == "" {
		return nil
	}
	before, known := s.byKey[key]
	if known {
		s.size -= len(key) + len(before) + nameOverhead
	}
	s.byKey[key] = name
	if s.size += len(key) + len(name) + nameOverhead; s.size > maxNames {
		return failure.Userf("the names of the data type %q for 'names' need more than %d MiB; leave out those that no item needs, with 'rowFilter'", s.dataType, maxNames>>20)
	}
	return nil
}

// textAt returns the text or the number at a path, or "".
func textAt(row value.Packed, path string) string {
	v, _ := row.At(path, ".")
	if k := v.Kind(); k != value.String && k != value.Number {
		return ""
	}
	return v.Text()
}

func (s *nameSet) complete() {
	if s.families != nil {
		return
	}
	s.families = map[string][]string{}
	for key, name := range s.byKey {
		s.families[name] = append(s.families[name], key)
	}
	for _, keys := range s.families {
		slices.Sort(keys)
	}
}

// mayGive reports whether a member may get this name: a name of the source, also with a
// number.
func (s *nameSet) mayGive(name []byte) bool {
	if _, ok := s.families[string(name)]; ok {
		return true
	}
	at := bytes.LastIndexByte(name, '_')
	if at < 0 {
		return false
	}
	for _, c := range name[at+1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	_, ok := s.families[string(name[:at])]
	return ok
}

// naming renames the members of the items of the jobs that write to one table. The page
// that is stored decides about new names, in the serial order; the child jobs of the page
// read the same items afterwards.
type naming struct {
	*nameSet
	pointer string
	mu      sync.Mutex
	paths   map[string]*pathNames
	used    int // size, in bytes, of paths
	free    []*value.Renamer
}

// pathNames holds the decisions about the objects with one path.
type pathNames struct {
	own      map[string]bool
	given    map[string]string   // keys by the names that they got
	families map[string][]string // names that the keys of a family got, in the order of the keys
}

// apply renames the members of rows. A row is valid until the next row is read.
func (n *naming) apply(all iter.Seq2[value.Packed, error]) iter.Seq2[value.Packed, error] {
	if n == nil {
		return all
	}
	return func(yield func(value.Packed, error) bool) {
		r := n.renamer()
		defer n.release(r)
		var buffer []byte
		for row, err := range all {
			if err == nil {
				buffer, err = r.Append(buffer[:0], row)
				row = buffer
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

func (n *naming) renamer() *value.Renamer {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.complete()
	last := len(n.free) - 1
	if last < 0 {
		return &value.Renamer{Decide: n.decide}
	}
	r := n.free[last]
	n.free = n.free[:last]
	return r
}

func (n *naming) release(r *value.Renamer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.free = append(n.free, r)
}

// decide implements the function Decide of a value.Renamer.
func (n *naming) decide(path []byte, names [][]byte) (renamed [][]byte, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	at, hasKeys := n.paths[string(path)], false
	for _, name := range names {
		if _, ok := n.byKey[string(name)]; ok {
			hasKeys = true
			continue
		}
		if !n.mayGive(name) {
			continue
		}
		at = n.at(path, at)
		if key, ok := at.given[string(name)]; ok {
			return nil, failure.Userf("an item has a member %q, and in earlier items the member %q got this name; leave this name out with 'rowFilter' of the job with the data type %q", name, key, n.dataType).At(n.pointer)
		}
		if !at.own[string(name)] {
			at.own[string(name)] = true
			n.used += len(name) + nameOverhead
		}
	}
	if hasKeys {
		at = n.at(path, at)
		renamed = make([][]byte, len(names))
		for i, key := range names {
			if name, ok := n.byKey[string(key)]; ok {
				keys := n.families[name]
				rank, _ := slices.BinarySearch(keys, string(key))
				renamed[i] = []byte(n.familyAt(at, name)[rank])
			}
		}
	}
	if n.used > maxNames {
		return nil, failure.Userf("the names of 'names' are at so many paths of the items that they need more than %d MiB; leave out names of the data type %q with 'rowFilter'", maxNames>>20, n.dataType).At(n.pointer)
	}
	return renamed, nil
}

// at returns the decisions for a path. known is nil before the first decision.
func (n *naming) at(path []byte, known *pathNames) *pathNames {
	if known != nil {
		return known
	}
	at := &pathNames{own: map[string]bool{}, given: map[string]string{}, families: map[string][]string{}}
	n.paths[string(path)] = at
	n.used += len(path) + 4*nameOverhead
	return at
}

// familyAt returns the names for the keys of one name. The first key gets the name, the
// others the name with a number. It skips names that items have themselves, and names of
// other families.
func (n *naming) familyAt(at *pathNames, name string) []string {
	given, ok := at.families[name]
	if ok {
		return given
	}
	number := 0
	for _, key := range n.families[name] {
		free := ""
		for free == "" {
			if number++; number == 1 {
				free = name
			} else if free = name + "_" + strconv.Itoa(number); n.families[free] != nil {
				free = ""
			}
			if at.own[free] {
				free = ""
			}
		}
		given = append(given, free)
		at.given[free] = key
		n.used += len(free) + 2*nameOverhead
	}
	at.families[name] = given
	return given
}

// jobNames are the names of the jobs of one iteration.
type jobNames struct {
	sets    map[nameSource]*nameSet
	namings map[*job]*naming
}

func newJobNames(jobs []*job) jobNames {
	all := jobNames{map[nameSource]*nameSet{}, map[*job]*naming{}}
	type destination struct {
		table string
		nameSource
	}
	shared := map[destination]*naming{}
	for _, j := range withChildren(jobs) {
		if j.source == nil {
			continue
		}
		if all.sets[*j.source] == nil {
			all.sets[*j.source] = &nameSet{nameSource: *j.source, byKey: map[string]string{}}
		}
		to := destination{j.DataType, *j.source}
		if j.ComputedDataType != nil || j.NotStored {
			to.table = j.Pointer
		}
		if shared[to] == nil {
			shared[to] = &naming{nameSet: all.sets[*j.source], pointer: j.Names.Pointer, paths: map[string]*pathNames{}}
		}
		all.namings[j] = shared[to]
	}
	return all
}

// add adds the names of a stored item.
func (all jobNames) add(j *job, row value.Packed) error {
	for _, source := range j.feeds {
		if err := all.sets[source].add(row); err != nil {
			return err
		}
	}
	return nil
}

// describe returns a sentence about the names.
func (s *nameSource) describe() string {
	return fmt.Sprintf("Members of its items that are named like a %q of %q get its %q as their name.", s.key, s.dataType, s.name)
}
