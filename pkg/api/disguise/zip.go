package disguise

import (
	"archive/zip"
	"errors"
	"io"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
)

// noArchive is the reason to leave out an archive.
const noArchive = "it begins like zip, but cannot be unpacked, so it cannot be searched for secrets"

// zip reads an archive. found is true if there is a secret in its packed bytes: in a name,
// or in a file that is not compressed.
func (l *look) zip(open opener, depth int, found bool) (r reading, err error) {
	whole, done, err := l.random(open)
	if err != nil {
		return reading{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	archive, err := response.OpenZip("", whole)
	if err != nil {
		return reading{unknown: noArchive}, nil
	}
	r = reading{found: found, packed: true, write: func(w io.Writer) error { return l.rezip(w, open) }}
	for _, f := range archive.File {
		one, err := l.file(f, depth)
		if err != nil {
			return reading{}, err
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

// random returns a body with random access. done releases it.
func (l *look) random(open opener) (whole response.RandomAccess, done func() error, err error) {
	source, err := open()
	if err != nil {
		return nil, nil, err
	}
	if whole, ok := source.(response.RandomAccess); ok {
		return whole, func() error { return nil }, nil
	}
	s := l.spools.New()
	if _, err := s.ReadFrom(&counted{source, l}); err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return s.Raw().(response.RandomAccess), s.Close, nil
}

// file reads a file of an archive.
func (l *look) file(f *zip.File, depth int) (reading, error) {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return reading{unknown: "a file in it is encrypted, so it cannot be searched for secrets"}, nil
	}
	var faults faults
	r, err := l.read(func() (io.Reader, error) {
		source, err := f.Open()
		if err != nil {
			return nil, corrupt{err}
		}
		return &lenient{Reader: source, faults: &faults}, nil
	}, depth+1)
	if _, ok := errors.AsType[corrupt](err); ok {
		return reading{unknown: noArchive}, nil
	}
	if faults.cut {
		r.write = nil
	}
	return r, err
}

// rezip writes only the files of an archive, in their order, with secrets masked in them
// and in their names.
func (l *look) rezip(w io.Writer, open opener) (err error) {
	whole, done, err := l.random(open)
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
		r, err := l.file(f, 0)
		if err != nil {
			return err
		}
		var name strings.Builder
		if _, err := l.Mask(&name, strings.NewReader(f.Name)); err != nil {
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
