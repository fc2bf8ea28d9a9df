package mapping

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/blocks"
)

// These are the kinds of records in a spool.
const (
	batchRecord byte = 'b' // [number of the data type, {user and parent columns}]
	rowRecord   byte = 'r' // one row of the batch
)

// spoolMemory is the maximum size, in bytes, of compressed records in memory. If there
// are more, all move to a file.
const spoolMemory = 1 << 20

// spool keeps compressed records in the order they were added. All records are added
// before the first is read.
type spool struct {
	dir     string
	memory  bytes.Buffer
	path    string   // path of the file; "" while all blocks are in memory
	file    *os.File // nil without a file, and after releaseBuffers
	records []byte   // records that are not in a block yet: sizes, kinds and values
	blocks  blocks.Writer
}

func newSpool(dir string) *spool {
	s := &spool{dir: dir}
	s.blocks.To = s.storeBlock
	return s
}

func (s *spool) add(kind byte, v value.Packed) error {
	s.records = append(binary.AppendUvarint(s.records, uint64(len(v))), kind)
	if len(v) > blocks.Large {
		err := s.blocks.AddPlain(s.records, v) // the value is not copied
		s.records = s.records[:0]
		return spoolError("keeping rows for later", err)
	}
	s.records = append(s.records, v...)
	if len(s.records) < blocks.Size {
		return nil
	}
	return s.flush()
}

// flush makes a block of the buffered records.
func (s *spool) flush() (err error) {
	if len(s.records) > 0 {
		s.records, err = s.blocks.Add(s.records)
	}
	return spoolError("keeping rows for later", err)
}

// storeBlock stores compressed bytes in memory, or in the file.
func (s *spool) storeBlock(p []byte) error {
	if s.path == "" && s.memory.Len()+len(p) <= spoolMemory {
		s.memory.Write(p) // never fails
		return nil
	}
	if err := s.openFile(); err != nil {
		return err
	}
	_, err := s.file.Write(p)
	return err
}

// openFile creates the file with the contents of memory, or opens it again.
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

// releaseBuffers releases memory and closes the file. add and each acquire them again.
func (s *spool) releaseBuffers() error {
	err := s.flush()
	s.records, s.blocks = nil, blocks.Writer{To: s.storeBlock}
	if err == nil && s.memory.Len() > 0 {
		err = spoolError("keeping rows for later", s.openFile())
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
		s.file = nil
	}
	return err
}

// each calls visit for all records in their order. A record is valid until visit
// returns. No record may be added afterwards.
func (s *spool) each(visit func(kind byte, v value.Packed) error) error {
	if err := s.flush(); err != nil {
		return err
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
	reader := blocks.NewReader(source)
	for {
		records, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return spoolError("reading rows again", err)
		}
		for len(records) > 0 {
			size, n := binary.Uvarint(records)
			kind, end := records[n], n+1+int(size)
			if err := visit(kind, records[n+1:end:end]); err != nil {
				return err
			}
			records = records[end:]
		}
	}
}

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
