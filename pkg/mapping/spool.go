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
	file   *os.File // nil while memory is enough
	zip    *s2.Writer
	record []byte // reused
}

func newSpool(dir string) *spool {
	s := &spool{dir: dir}
	s.zip = s2.NewWriter(writerFunc(s.store), s2.WriterConcurrency(1), s2.WriterBlockSize(spoolBlock))
	return s
}

// writerFunc is a function as an io.Writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// add appends one record.
func (s *spool) add(kind byte, v value.Packed) error {
	s.record = append(binary.AppendUvarint(s.record[:0], uint64(len(v))), kind)
	_, err := s.zip.Write(s.record)
	if err == nil {
		_, err = s.zip.Write(v)
	}
	return spoolError("keeping rows for later", err)
}

// store takes what is compressed.
func (s *spool) store(p []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(p) <= spoolMemory {
		return s.memory.Write(p)
	}
	if s.file == nil {
		file, err := os.CreateTemp(s.dir, "rows-*.s2")
		if err != nil {
			return 0, err
		}
		s.file = file
		if _, err := s.memory.WriteTo(file); err != nil {
			return 0, err
		}
		s.memory = bytes.Buffer{}
	}
	return s.file.Write(p)
}

// each ends the adding and visits all records in their order. Each one is gone
// when the next is read.
func (s *spool) each(visit func(kind byte, v value.Packed) error) error {
	if err := s.zip.Close(); err != nil {
		return spoolError("keeping rows for later", err)
	}
	var source io.Reader = bytes.NewReader(s.memory.Bytes())
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
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
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
	return spoolError("removing rows kept for later", err)
}

func spoolError(doing string, err error) error {
	if err == nil {
		return nil
	}
	return failure.Applicationf("%s: %w", doing, err)
}
