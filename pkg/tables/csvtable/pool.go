package csvtable

import (
	"os"
	"slices"
)

const (
	// maxOpen is how many files the writers of a set keep open. A process may
	// have 64 files in all where limits are low, and needs some of them for
	// connections and answers.
	maxOpenFiles = 16
	// maxBuffered is how many bytes the buffers of a pool take together before
	// all of them are written. A run of few tables never gets there.
	maxBuffered = 2 << 20
)

// pool is what the writers of a set share, so that a run may have any number of
// tables: at most maxOpen files are open, and all buffers together take little more
// than maxBuffered bytes. A writer whose file was closed opens it again when it has
// something to write. The zero value is ready.
type pool struct {
	open     []*Writer // that have an open file, the least recently used first
	buffers  []*Writer // that have a buffer
	buffered int       // the capacity of all buffers, in bytes
}

// file is the open file of a writer.
func (p *pool) file(w *Writer) (*os.File, error) {
	if w.file == nil {
		err := p.openFile(w, os.O_APPEND|os.O_WRONLY)
		return w.file, err
	}
	if last := len(p.open) - 1; p.open[last] != w {
		at := slices.Index(p.open, w)
		copy(p.open[at:], p.open[at+1:])
		p.open[last] = w
	}
	return w.file, nil
}

// openFile opens the file of a writer.
func (p *pool) openFile(w *Writer, flags int) error {
	if len(p.open) == maxOpenFiles {
		if err := p.close(p.open[0]); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(w.path, flags, 0o644)
	if err != nil {
		return err
	}
	w.file = file
	p.open = append(p.open, w)
	return nil
}

// close closes the file of a writer, if it is open.
func (p *pool) close(w *Writer) error {
	if w.file == nil {
		return nil
	}
	p.open = slices.DeleteFunc(p.open, func(o *Writer) bool { return o == w })
	file := w.file
	w.file = nil
	return file.Close()
}

// count records how large the buffer of a writer has become.
func (p *pool) count(w *Writer) {
	if w.countedCap == 0 {
		w.index = len(p.buffers)
		p.buffers = append(p.buffers, w)
	}
	p.buffered += cap(w.buf) - w.countedCap
	w.countedCap = cap(w.buf)
}

// spill writes all buffers and releases their memory.
func (p *pool) spill() error {
	for _, w := range p.buffers {
		if err := w.flush(); err != nil {
			return err
		}
		w.buf, w.countedCap = nil, 0
	}
	p.buffers, p.buffered = p.buffers[:0], 0
	return nil
}

// drop takes a writer out of the pool: its file is closed, its buffer is gone.
func (p *pool) remove(w *Writer) error {
	if w.countedCap > 0 {
		last := len(p.buffers) - 1
		p.buffers[w.index] = p.buffers[last]
		p.buffers[w.index].index = w.index
		p.buffers = p.buffers[:last]
		p.buffered -= w.countedCap
		w.buf, w.countedCap = nil, 0
	}
	return p.close(w)
}
