package mapping

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/s2"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The kinds of records in a spool.
const (
	batchRecord byte = 'b' // [number of the data type, {user and parent columns}]
	rowRecord   byte = 'r' // one row of the batch before
)

const (
	// spoolMemory is how many compressed bytes stay in memory; more of them
	// move to a file.
	spoolMemory = 1 << 20
	// spoolBlock is how many bytes are compressed at once. Both ends hold a few
	// blocks in memory.
	spoolBlock = 256 << 10
)

// spool keeps records in the order they came, compressed. First all are added,
// then all are read.
type spool struct {
	dir    string
	memory bytes.Buffer
	path   string     // of the file, "" while memory is enough
	file   *os.File   // nil while there is none, or the spool rests
	zip    *s2.Writer // nil before the first record, and while the spool rests
	record []byte     // reused
}

func newSpool(dir string) *spool { return &spool{dir: dir} }

// writerFunc is a function as an io.Writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// add appends one record.
func (s *spool) add(kind byte, v value.Packed) error {
	if s.zip == nil {
		s.zip = s2.NewWriter(writerFunc(s.store), s2.WriterConcurrency(1), s2.WriterBlockSize(spoolBlock))
	}
	s.record = append(binary.AppendUvarint(s.record[:0], uint64(len(v))), kind)
	_, err := s.zip.Write(s.record)
	if err == nil {
		_, err = s.zip.Write(v)
	}
	return spoolError("keeping rows for later", err)
}

// store takes what is compressed.
func (s *spool) store(p []byte) (int, error) {
	if s.path == "" && s.memory.Len()+len(p) <= spoolMemory {
		return s.memory.Write(p)
	}
	if err := s.openFile(); err != nil {
		return 0, err
	}
	return s.file.Write(p)
}

// openFile makes the file with what is in memory so far, or opens it again.
func (s *spool) openFile() (err error) {
	switch {
	case s.file != nil:
		return nil
	case s.path != "":
		s.file, err = os.OpenFile(s.path, os.O_RDWR|os.O_APPEND, 0)
		return err
	}
	if s.file, err = os.CreateTemp(s.dir, "rows-*.s2"); err != nil {
		return err
	}
	s.path = s.file.Name()
	_, err = s.memory.WriteTo(s.file)
	s.memory = bytes.Buffer{}
	return err
}

// rest gives up memory and the open file until the next record is added or all
// are read. The next record begins another stream; a reader takes one after
// another.
func (s *spool) rest() error {
	if s.zip == nil {
		return nil
	}
	err := s.zip.Close()
	s.zip, s.record = nil, nil
	if err == nil {
		err = s.openFile()
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
		s.file = nil
	}
	return spoolError("keeping rows for later", err)
}

// each ends the adding and visits all records in their order. Each one is gone
// when the next is read.
func (s *spool) each(visit func(kind byte, v value.Packed) error) error {
	if s.zip != nil {
		if err := s.zip.Close(); err != nil {
			return spoolError("keeping rows for later", err)
		}
	}
	var source io.Reader = bytes.NewReader(s.memory.Bytes())
	if s.path != "" {
		err := s.openFile()
		if err == nil {
			_, err = s.file.Seek(0, io.SeekStart)
		}
		if err != nil {
			return spoolError("reading rows again", err)
		}
		source = s.file
	}
	r := s2.NewReader(source, s2.ReaderMaxBlockSize(spoolBlock))
	for {
		kind, v, err := s.next(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return spoolError("reading rows again", err)
		}
		if err := visit(kind, v); err != nil {
			return err
		}
	}
}

// next reads one record; io.EOF when there is none.
func (s *spool) next(r *s2.Reader) (byte, value.Packed, error) {
	length, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, nil, err
	}
	length++ // the kind
	if uint64(cap(s.record)) < length {
		s.record = make([]byte, length)
	}
	s.record = s.record[:length]
	if _, err := io.ReadFull(r, s.record); err != nil {
		return 0, nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return s.record[0], s.record[1:], nil
}

// close removes the file, if there is one.
func (s *spool) close() error {
	if s.path == "" {
		return nil
	}
	var err error
	if s.file != nil {
		err = s.file.Close()
	}
	err = errors.Join(err, os.Remove(s.path))
	s.file, s.path = nil, ""
	return spoolError("removing rows kept for later", err)
}

func spoolError(doing string, err error) error {
	if err == nil {
		return nil
	}
	return failure.Applicationf("%s: %w", doing, err)
}
