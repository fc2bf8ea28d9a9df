package response

import (
	"errors"
	"io"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Whole returns a whole response as one value. Its errors show nothing of the text, because
// the response may be a secret. Use Whole only for bodies that are known to be small.
func Whole(spool *Spool, f Format) (value.Value, error) {
	hidden := func(string) string { return "" }
	page, err := NewScanner(hidden).Scan(spool, Query{Format: f, Data: Path{Text: ".", Separator: "."}})
	if errors.Is(err, io.EOF) {
		return value.Value{}, failure.Userf("the response has no body")
	}
	if err != nil {
		return value.Value{}, err
	}
	for item, err := range page.Items() {
		if err != nil {
			return value.Value{}, err
		}
		return item.Value(), nil
	}
	return value.OfString(""), nil // an empty element
}
