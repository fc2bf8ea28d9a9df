package webui

import (
	"crypto/rand"
	"slices"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/authoring/gallery"
	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"
)

const (
	// keptDrafts is the maximum number of drafts. keptBytes is the maximum size of all
	// their responses together. The newest draft is always kept.
	keptDrafts = 8
	keptBytes  = 128 << 20
)

// draft is a configuration that is not stored yet. It has an example with its response,
// which contain credentials, or only an API of the gallery.
type draft struct {
	id string
	// candidates are the example, or the exchanges of an archive. It is empty for an API
	// alone.
	candidates []scaffold.Candidate
	// apis are the entries of the gallery that the example may belong to.
	apis []gallery.API
}

func newDraft() *draft { return &draft{id: rand.Text()} }

func (d *draft) size() (bytes int) {
	for _, c := range d.candidates {
		bytes += len(c.Exchange.Response)
	}
	return bytes
}

// drafts keeps the newest drafts in memory. The zero value is ready to use.
type drafts struct {
	mu   sync.Mutex
	list []*draft // newest last
}

func (k *drafts) add(d *draft) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, d)
	total := 0
	for i := len(k.list) - 1; i >= 0; i-- {
		if total += k.list[i].size(); i < len(k.list)-1 && (total > keptBytes || len(k.list)-i > keptDrafts) {
			k.list = slices.Clone(k.list[i+1:])
			return
		}
	}
}

func (k *drafts) get(id string) (*draft, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.list, func(d *draft) bool { return d.id == id })
	if i < 0 {
		return nil, false
	}
	return k.list[i], true
}

func (k *drafts) remove(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(d *draft) bool { return d.id == id })
}
