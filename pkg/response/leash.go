package response

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxItem is how many bytes one item, or one text anywhere, may have: it stands
// in memory as a whole, a few times over.
const maxItem = 128 << 20

var errLargeItem = errors.New("one value of it has more than 128 MiB, which is more than memory should hold")

// leash keeps a decoder from reading on and on for a single value.
type leash struct {
	source io.Reader
	dec    *jsontext.Decoder
	limit  int64
	given  int64
}

// decoder reads tokens and values of up to so many bytes.
func decoder(r io.Reader, limit int64) *jsontext.Decoder {
	l := &leash{source: r, limit: limit}
	l.dec = value.NewDecoder(l)
	return l.dec
}

// largeItem makes a user error of a value that is too large.
func largeItem(err error) error {
	if errors.Is(err, errLargeItem) {
		return failure.Userf("the response is too large: %w", errLargeItem)
	}
	return err
}

// Read implements io.Reader.
func (l *leash) Read(p []byte) (int, error) {
	if l.given-l.dec.InputOffset() > l.limit {
		return 0, errLargeItem
	}
	n, err := l.source.Read(p)
	l.given += int64(n)
	return n, err
}
