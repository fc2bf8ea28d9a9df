package response

import (
	"io"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxPlain is the maximum size, in bytes, of a text that becomes a single value.
const maxPlain = 8 << 20

// decodeText decodes each text to an item.
func decodeText(d *decodeState) error {
	list := d.newItemList()
	err := d.eachText(func(t *textReader) error {
		if err := t.fillTo(maxPlain + 1); err != nil {
			return err
		}
		if len(t.text) > maxPlain {
			return failure.Userf("the text%s is too large: it has more than %d MiB", t.ofFile(), maxPlain>>20)
		}
		if len(t.text) == 0 && t.name == "" {
			return io.EOF
		}
		start := len(list.items.last)
		item := value.OpenObject(list.items.last)
		item = value.PackString(value.AppendName(item, "data"), t.text)
		value.ClosePacked(item, start)
		list.items.last = item
		return list.add(start, true)
	})
	list.end()
	return err
}
