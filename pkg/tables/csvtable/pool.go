package csvtable

import (
	"os"
	"slices"
)

const (
	// maxOpenFiles is the maximum number of files that the writers of a set keep open.
	// A process may have only 64 open files where limits are low, and needs some of
	// them for connections and responses.
	maxOpenFiles = 16
	// maxBuffered is the maximum size, in bytes, of all buffers of a pool together. If
	// they exceed it, all are written. A run with few tables never reaches it.
	maxBuffered = 2 << 20
)

// pool limits the files and buffers of the writers of a set, so that a run may have any
// number of tables: at most maxOpenFiles files are open, and all buffers together take
// little more than maxBuffered bytes. A writer with a closed file opens the file again
// when it writes. The zero value is ready to use.
type pool struct {
	open     []*Writer // writers with an open file, least recently used first
	buffers  []*Writer // writers with a buffer
	buffered int       // capacity of all buffers in bytes
}

// file returns the open file of a writer. It opens the file if it is closed.
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

// openFile opens the file of a writer. It closes another file if too many are open.
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

func (p *pool) close(w *Writer) error {
	if w.file == nil {
		return nil
	}
	p.open = slices.DeleteFunc(p.open, func(o *Writer) bool { return o == w })
	file := w.file
	w.file = nil
	return file.Close()
}

// count updates the capacity of a writer's buffer in the pool.
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

// remove removes a writer from the pool, closes its file and drops its buffer.
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
