package har

import (
	"archive/zip"
	"errors"
	"io"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
)

// noArchive is the reason to omit an archive.
const noArchive = "it begins like zip, but cannot be unpacked, so it cannot be searched for secrets"

// readZip reads an archive. found is set if its packed bytes contain a secret: in a name,
// or in a file that is not compressed.
func (l *searcher) readZip(open opener, depth int, found bool) (r readResult, err error) {
	whole, done, err := l.randomAccess(open)
	if err != nil {
		return readResult{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	archive, err := response.OpenZip("", whole)
	if err != nil {
		return readResult{unknown: noArchive}, nil
	}
	r = readResult{found: found, packed: true, write: func(w io.Writer) error { return l.rezip(w, open, depth) }}
	for _, f := range archive.File {
		one, err := l.readFile(f, depth)
		if err != nil {
			return readResult{}, err
		}
		if one.unknown != "" {
			return one, nil
		}
		r.found = r.found || one.found
		if one.write == nil {
			r.write = nil
		}
	}
	return r, nil
}

// randomAccess returns a body with random access. The caller must call done afterwards.
func (l *searcher) randomAccess(open opener) (whole response.RandomAccess, done func() error, err error) {
	source, err := open()
	if err != nil {
		return nil, nil, err
	}
	if whole, ok := source.(response.RandomAccess); ok {
		return whole, func() error { return nil }, nil
	}
	s := l.spools.New()
	if _, err := s.ReadFrom(&countingReader{source, l}); err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return s.Raw().(response.RandomAccess), s.Close, nil
}

// readFile reads a file of an archive.
func (l *searcher) readFile(f *zip.File, depth int) (readResult, error) {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return readResult{unknown: "a file in it is encrypted, so it cannot be searched for secrets"}, nil
	}
	var faults faults
	r, err := l.read(func() (io.Reader, error) {
		source, err := f.Open()
		if err != nil {
			return nil, corruptError{err}
		}
		return &lenientReader{Reader: source, faults: &faults}, nil
	}, depth+1)
	if _, ok := errors.AsType[corruptError](err); ok {
		return readResult{unknown: noArchive}, nil
	}
	if faults.cut {
		r.write = nil
	}
	return r, err
}

// rezip writes the files of an archive in their order, with secrets masked in the files
// and in their names. The rest of the archive, such as comments, is dropped. depth must be
// the depth of the search, which found that every file can be written.
func (l *searcher) rezip(w io.Writer, open opener, depth int) (err error) {
	whole, done, err := l.randomAccess(open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	archive, err := response.OpenZip("", whole)
	if err != nil {
		return err
	}
	out := zip.NewWriter(w)
	for _, f := range archive.File {
		r, err := l.readFile(f, depth)
		if err != nil {
			return err
		}
		if r.write == nil {
			return errors.New("a file of an archive cannot be written again")
		}
		var name strings.Builder
		if _, err := l.mask(&name, strings.NewReader(f.Name)); err != nil {
			return err
		}
		method := zip.Deflate
		if f.Method == zip.Store {
			method = zip.Store
		}
		to, err := out.CreateHeader(&zip.FileHeader{Name: name.String(), Method: method, Modified: f.Modified})
		if err != nil {
			return err
		}
		if err := r.write(to); err != nil {
			return err
		}
	}
	return out.Close()
}
