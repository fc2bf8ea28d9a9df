package webui

import (
	"crypto/rand"
	"slices"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/authoring/gallery"
	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"
)

const (
	// keptDrafts is how many beginnings are kept, keptBytes how large their responses may be
	// together.
	keptDrafts = 8
	keptBytes  = 128 << 20
)

// draft is a configuration that is about to begin: an example with its response, which has
// credentials, or only an API of the gallery.
type draft struct {
	id string
	// candidates are the example, or those of an archive; none for an API alone.
	candidates []scaffold.Candidate
	// apis are those of the gallery to which the example belongs.
	apis []gallery.API
}

func newDraft() *draft { return &draft{id: rand.Text()} }

func (d *draft) size() (bytes int) {
	for _, c := range d.candidates {
		bytes += len(c.Exchange.Response)
	}
	return bytes
}

// drafts keeps the newest ones in memory. The zero value is ready.
type drafts struct {
	mu   sync.Mutex
	list []*draft // the newest last
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
