package webui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const keptDigests = 64

// digests caches the digests of the jobs that were shown last, so that showing a long job
// again reads only new events. It is safe for concurrent use.
type digests struct {
	mu   sync.Mutex
	kept []*keptDigest // least recently used first
}

type keptDigest struct {
	job string

	mu     sync.Mutex // held while events are read
	digest *digest
}

func (d *digests) get(job string) *keptDigest {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.kept, func(k *keptDigest) bool { return k.job == job })
	k := &keptDigest{job: job, digest: newDigest()}
	if i >= 0 {
		k = d.kept[i]
		d.kept = slices.Delete(d.kept, i, i+1)
	}
	d.kept = append(d.kept, k)
	if len(d.kept) > keptDigests {
		d.kept = slices.Delete(d.kept, 0, 1)
	}
	return k
}

// digest reads the new events of a job and returns its digest. The result is a copy that
// does not change.
func (s *site) digest(ctx context.Context, job string) (digest, error) {
	k := s.digests.get(job)
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		// Batches keep read transactions short.
		n := 0
		if err := s.Store.EventsOf(job, k.digest.after, func(e store.Event) bool {
			k.digest.add(e)
			n++
			return n < 50*batchEvents
		}); err != nil {
			return digest{}, err
		}
		if err := ctx.Err(); err != nil {
			return digest{}, err
		}
		if n < 50*batchEvents {
			break
		}
	}
	copied := *k.digest
	copied.progress.Lines = slices.Clone(copied.progress.Lines)
	copied.progress.index = nil
	copied.faults = slices.Clone(copied.faults) // a page adds line numbers to them
	copied.requests.ids = slices.Clone(copied.requests.newest())
	copied.shown.ids = slices.Clone(copied.shown.newest())
	copied.types = maps.Clone(copied.types)
	return copied, nil
}

// eventsWith returns the events with these ids, in the same order. It skips events that
// have been deleted.
func (s *site) eventsWith(ids []uint64) (found []store.Event, err error) {
	for _, id := range ids {
		e, err := s.Store.Event(decimalID(id))
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	return found, nil
}
