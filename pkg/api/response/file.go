package response

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// fileFormat is the name of the format that stores responses as files.
const fileFormat = "file"

// IsFile reports whether the responses are stored as files and not read.
func (f Format) IsFile() bool { return f.Name == fileFormat }

// The members of the item of a response in the format file.
const (
	FileName        = "name"
	FileSize        = "size"
	FileSHA256      = "sha256"
	FileContentType = "content_type"
)

// FileFacts describe the file of a response, from its headers and its URL.
type FileFacts struct{ Name, ContentType string }

// Digest identifies the contents of a body.
type Digest struct {
	Size   int64
	SHA256 string // in hexadecimal digits
}

// Digest returns the digest of the body. For a body that a recording does not hold it
// returns the recorded digest.
func (s *Spool) Digest() (Digest, error) {
	if s.recorded != nil {
		return *s.recorded, nil
	}
	h := sha256.New()
	n, err := io.Copy(h, s.reread())
	return Digest{n, hex.EncodeToString(h.Sum(nil))}, err
}

// Recorded sets the digest of a body that a recording does not hold.
func (s *Spool) Recorded(d Digest) { s.recorded = &d }

// decodeFile makes one item that describes the body. An empty body is an empty file. The
// name is part of the fingerprint: two pages with equal bodies and different names are
// two files.
func decodeFile(d *decodeState) error {
	digest, err := d.spool.Digest()
	if err != nil {
		return err
	}
	list := d.newItemList()
	start := len(list.items.last)
	list.items.last = value.OfMembers(
		value.Member{Name: FileName, Value: value.OfString(d.query.File.Name)},
		value.Member{Name: FileSize, Value: value.OfInt(digest.Size)},
		value.Member{Name: FileSHA256, Value: value.OfString(digest.SHA256)},
		value.Member{Name: FileContentType, Value: value.OfString(d.query.File.ContentType)},
	).AppendPacked(list.items.last)
	err = list.add(start, true)
	list.end()
	d.page.File, d.page.Volume = true, digest.Size
	return err
}

// NamesFile reports whether a section `response` names the format file.
func NamesFile(s field.Section) bool { return FormatSetting.Of(s) == fileFormat }
