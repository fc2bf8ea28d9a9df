package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The support of data types: how much the types of a manifest count.
const (
	// NoTypes: a schema is checked and then ignored, as if there were none.
	NoTypes = "none"
	// Hints: types are noted, cells are not compared with them.
	Hints = "hints"
	// Authoritative: cells must be values of their column's type.
	Authoritative = "authoritative"
)

// Store takes the loads.
type Store interface {
	// Load loads a table whole or not at all, see store.Store.
	Load(l store.Load) (store.Table, error)
}

// Options say what is to be loaded, and where.
type Options struct {
	Store Store
	// Dir is the data directory.
	Dir string
	// Component and Config are the ids that the default bucket is named after;
	// without a configuration there is none. Job is noted with the tables.
	Component, Config, Job string
	// Storage is the section storage of the configuration; its output.tables and
	// output.default_bucket are read.
	Storage value.Value
	// DataTypes is NoTypes, Hints or Authoritative; "" is NoTypes.
	DataTypes string
	// Failed says that the component failed: only tables with write_always are
	// loaded, and the others are not even looked at.
	Failed bool
	// Table is told `Loading table "FILE"` before each load, Warn what is odd.
	// Either may be nil.
	Table, Warn func(text string)

	// root is Dir while it is read: links that the component left must not lead
	// out of it.
	root *os.Root
}

// Load loads the tables of a data directory in the order of their file names,
// and gives the tables it has loaded, also together with an error. What the
// component or the configuration did wrong is a user error.
func Load(ctx context.Context, o Options) ([]store.Table, error) {
	o = o.filled()
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, failure.Applicationf("opening the data directory: %w", err)
	}
	defer root.Close()
	o.root = root
	plans, err := o.plan()
	if err != nil {
		return nil, err
	}
	var loaded []store.Table
	for _, p := range plans {
		if err := ctx.Err(); err != nil {
			return loaded, err
		}
		o.Table(fmt.Sprintf("Loading table %q", p.file))
		t, err := o.load(ctx, p)
		if err != nil {
			return loaded, err
		}
		loaded = append(loaded, t)
	}
	return loaded, nil
}

func (o Options) filled() Options {
	if o.Table == nil {
		o.Table = func(string) {}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.DataTypes == "" {
		o.DataTypes = NoTypes
	}
	return o
}

// load loads one table.
func (o Options) load(ctx context.Context, p plan) (store.Table, error) {
	rows := &rows{ctx: ctx, root: o.root, plan: p}
	if o.DataTypes == Authoritative {
		rows.types = p.load.Columns
	}
	l := p.load
	l.Next = rows.next
	t, err := o.Store.Load(l)
	if closed := rows.close(); err == nil && closed != nil {
		err = failure.Applicationf("closing table %q: %w", p.file, closed)
	}
	if err != nil {
		return store.Table{}, failure.Wrap(fmt.Sprintf("loading table %q", p.file), "", err)
	}
	return t, nil
}

// rows reads the rows of a table, one file after the other.
type rows struct {
	ctx   context.Context
	root  *os.Root
	plan  plan
	types []store.Column // to compare the cells with; nil for none
	files int            // opened so far
	open  *file
	row   int // of the open file, from 1
}

func (r *rows) next() ([]string, error) {
	for {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		if r.open == nil {
			if err := r.openNext(); err != nil {
				return nil, err
			}
		}
		cells, err := r.open.records.Read()
		if errors.Is(err, io.EOF) {
			if err := r.close(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, r.within(err)
		}
		r.row++
		return cells, r.within(r.check(cells))
	}
}

// openNext opens the next file and passes over its header; io.EOF after the
// last file.
func (r *rows) openNext() error {
	if r.files == len(r.plan.parts) {
		return io.EOF
	}
	opened, err := openFile(r.root, r.plan.parts[r.files], r.plan.settings)
	if err != nil {
		return err
	}
	r.files++
	r.open, r.row = opened, 0
	if !r.plan.skipsHeader {
		return nil
	}
	if _, err := opened.records.Read(); err != nil && !errors.Is(err, io.EOF) {
		return r.within(err)
	}
	return nil
}

// within says which slice an error is about.
func (r *rows) within(err error) error {
	if err == nil || !r.plan.sliced {
		return err
	}
	return failure.Wrap(fmt.Sprintf("slice %q", filepath.Base(r.open.file.Name())), "", err)
}

func (r *rows) close() error {
	if r.open == nil {
		return nil
	}
	err := r.open.file.Close()
	r.open = nil
	return err
}

// check compares a row with the columns.
func (r *rows) check(cells []string) error {
	if columns := len(r.plan.load.Columns); len(cells) != columns {
		return failure.Userf("row %d has %d cells, not one for each of the %d columns", r.row, len(cells), columns)
	}
	for i, c := range r.types {
		if c.Type == typeString {
			continue
		}
		switch cell := cells[i]; {
		case cell == "" && !c.Nullable:
			return failure.Userf("row %d, column %q: a value is missing, the column is not nullable", r.row, c.Name)
		case cell != "" && !fits(c.Type, cell):
			return failure.Userf("row %d, column %q: %.40q is not of the type %s", r.row, c.Name, cell, c.Type)
		}
	}
	return nil
}
