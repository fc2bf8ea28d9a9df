package sandbox

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// journal converts the output of the component to records and passes them on, one at a
// time. It is safe for concurrent use.
type journal struct {
	cleaner *cleaner
	now     func() time.Time

	mu   sync.Mutex // held while a record is passed on
	log  func(Record)
	last string // last GELF message that may explain a failure
}

func (j *journal) text(kind string, h head) {
	text := j.cleaner.clean(string(h.text), h.cut)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.give(kind, text, nil)
}

func (j *journal) message(m message) {
	text := j.cleaner.clean(m.text, false)
	var fields json.RawMessage
	if m.fields.Len() > 0 {
		fields = json.RawMessage(j.cleaner.mask(m.fields).JSON())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if m.serious {
		j.last = text
	}
	if m.camouflaged {
		text, fields = Camouflage, nil
	}
	j.give(m.kind, text, fields)
}

func (j *journal) give(kind, text string, fields json.RawMessage) {
	if text == "" {
		return
	}
	j.log(Record{Time: j.now(), Type: kind, Message: text, Fields: fields})
}

func (j *journal) explain(stderr, stdout head) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, output := range []head{stderr, stdout} {
		if text := j.cleaner.clean(string(output.text), output.cut); text != "" {
			return text
		}
	}
	if j.last != "" {
		return j.last
	}
	return noMessage
}

// mask returns a value with all leaves converted to strings and masked. It masks names too,
// because a component may use a secret as a name.
func (c *cleaner) mask(v value.Value) value.Value {
	if k := v.Kind(); k != value.Object && k != value.Array {
		return value.OfString(c.secrets.Mask(v.Raw()))
	}
	return v.Map(func(m value.Member) value.Member {
		return value.Member{Name: c.secrets.Mask(m.Name), Value: c.mask(m.Value)}
	})
}
