package response

import (
	"archive/zip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// memberOf returns the pattern for the files of an archive, or "".
func memberOf(s field.Section, unpack []string) string {
	member := MemberSetting.In(s)
	if !member.Present() {
		return ""
	}
	pattern := member.Value.Text()
	if _, err := path.Match(pattern, ""); err != nil {
		member.Problem("expected a pattern such as \"*.csv\"", "")
	}
	if !slices.Contains(unpack, "zip") {
		member.Problem("expected \"unpack\" with \"zip\", whose files it chooses", "remove the key")
	}
	return pattern
}

// maxDirectory is the maximum size, in bytes, of the list of files in an archive. The
// list needs several times that in memory.
const maxDirectory = 4 << 20

// unwrapZip calls each for the files of an archive, in the order of their names.
func unwrapZip(u *unpacker, file string, r io.Reader, each eachFile) error {
	whole, ok := r.(RandomAccess)
	if !ok {
		spool := u.home.New()
		defer spool.Close()
		left := u.limit
		if _, err := spool.ReadFrom(&limitedReader{r, u, &left}); err != nil {
			return err
		}
		whole = spool.reread()
	}
	archive, err := OpenZip(file, whole)
	if err != nil {
		return err
	}
	files := slices.DeleteFunc(archive.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, "/") })
	if len(files) == 0 {
		return failure.Userf("the zip of the response has no file in it")
	}
	first := files[0].Name
	if files = slices.DeleteFunc(files, func(f *zip.File) bool { return !u.takes(f.Name) }); len(files) == 0 {
		return failure.Userf("the zip of the response has no file whose name is like '%s'; its first one is '%s'", u.member, first)
	}
	slices.SortStableFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range files {
		if err := unwrapFile(f, each); err != nil {
			return err
		}
	}
	return nil
}

// OpenZip opens an archive. It returns an error if the file has bytes that are not part
// of the archive, or if the list of files has more than maxDirectory bytes. file is the
// name for messages.
func OpenZip(file string, whole RandomAccess) (*zip.Reader, error) {
	if err := wholeZip(file, whole); err != nil {
		return nil, err
	}
	directory := &limitedReaderAt{whole, maxDirectory}
	archive, err := zip.NewReader(directory, whole.Size())
	if err != nil {
		return nil, unzipping(file, err)
	}
	directory.left = noBound
	archive.RegisterDecompressor(zip.Deflate, flate.NewReader)
	return archive, nil
}

// takes reports whether the pattern selects a file.
func (u *unpacker) takes(name string) bool {
	if u.member == "" {
		return true
	}
	if !strings.Contains(u.member, "/") {
		name = path.Base(name)
	}
	ok, _ := path.Match(u.member, name) // memberOf has checked the pattern
	return ok
}

// encrypted is the flag of files that need a password.
const encrypted = 1

func unwrapFile(f *zip.File, each eachFile) error {
	if f.Flags&encrypted != 0 {
		return failure.Userf("the file '%s' in the zip of the response is encrypted", f.Name)
	}
	r, err := f.Open()
	if err != nil {
		return unzipping(f.Name, err)
	}
	defer r.Close()
	return each(f.Name, r)
}

// unzipping converts an error about an archive, or about a file in it, to a user error or
// a formatError.
func unzipping(file string, err error) error {
	switch {
	case errors.Is(err, errLargeDirectory):
		return failure.Userf("the zip of the response has too many files: their list has more than %d MiB", maxDirectory>>20)
	case errors.Is(err, zip.ErrFormat):
		return &formatError{reason: "it is none, or it was cut", cause: err, what: "zip", file: file}
	case errors.Is(err, zip.ErrAlgorithm):
		return failure.Userf("the file '%s' in the zip of the response is compressed in a way that is not known here: use the method deflate", file)
	default:
		return unpacking("zip", file, err)
	}
}

// RandomAccess reads any part of a text of known size.
type RandomAccess interface {
	io.ReaderAt
	Size() int64
}

// limitedReaderAt returns errLargeDirectory if it reads more than left bytes. There is no
// limit if left is noBound.
type limitedReaderAt struct {
	io.ReaderAt
	left int64
}

const noBound = -1

var errLargeDirectory = errors.New("the list of files is too large")

func (b *limitedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if b.left == noBound {
		return b.ReaderAt.ReadAt(p, at)
	}
	if int64(len(p)) > b.left {
		return 0, errLargeDirectory
	}
	n, err := b.ReaderAt.ReadAt(p, at)
	b.left -= int64(n)
	return n, err
}
