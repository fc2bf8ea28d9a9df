package tableload

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

// Values of Options.DataTypes.
const (
	// NoTypes checks a schema, then ignores it.
	NoTypes = "none"
	// Hints stores the types and does not check cells.
	Hints = "hints"
	// Authoritative refuses cells that do not match the type of their column.
	Authoritative = "authoritative"
)

// Options configures a load.
type Options struct {
	Store *store.Store
	// Dir is the data directory.
	Dir string
	// Component and Config make up the id of the default bucket. There is no default
	// bucket if Config is "". Job is stored with the tables.
	Component, Config, Job string
	// Storage is the section "storage" of the configuration. Only output.tables and
	// output.default_bucket are read.
	Storage value.Value
	// DataTypes is NoTypes, Hints or Authoritative.
	DataTypes string
	// Failed is true if the component failed. Then only tables with write_always are
	// loaded.
	Failed bool
	// Table is called with `Loading table "FILE"` before each load. Warn is called with
	// warnings.
	Table, Warn func(text string)

	// root is opened from Dir. Links that the component made cannot lead out of root.
	root *os.Root
}

// Load loads the tables of a data directory in the order of their file names. It returns
// the loaded tables, also together with an error. Mistakes of the component and of the
// configuration are user errors.
func Load(ctx context.Context, o Options) ([]store.Table, error) {
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
		o.Table(fmt.Sprintf("Loading table %q", p.name))
		t, err := o.load(ctx, p)
		if err != nil {
			return loaded, err
		}
		loaded = append(loaded, t)
	}
	return loaded, nil
}

func (o Options) load(ctx context.Context, p plan) (store.Table, error) {
	rows := &rows{ctx: ctx, root: o.root, plan: p}
	l := p.load
	l.Typed = o.DataTypes == Authoritative
	l.Begin = func(typed []store.Column) { rows.types = typed }
	l.Next = rows.next
	t, err := o.Store.Load(ctx, l)
	if closed := rows.close(); err == nil && closed != nil {
		err = failure.Applicationf("closing table %q: %w", p.name, closed)
	}
	if err != nil {
		return store.Table{}, failure.Wrap(fmt.Sprintf("loading table %q", p.name), "", err)
	}
	return t, nil
}

// rows reads the rows of a table, one file after another.
type rows struct {
	ctx   context.Context
	root  *os.Root
	plan  plan
	types []store.Column // columns with the types to check; nil disables the check
	files int            // number of files opened so far
	open  *file
	row   int // row number in the open file, from 1
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
			return nil, r.wrapSliceError(err)
		}
		r.row++
		return cells, r.wrapSliceError(r.check(cells))
	}
}

// openNext opens the next file and skips its header. It returns io.EOF after the last
// file.
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
		return r.wrapSliceError(err)
	}
	return nil
}

func (r *rows) wrapSliceError(err error) error {
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

func (r *rows) check(cells []string) error {
	if columns := len(r.plan.load.Columns); len(cells) != columns {
		return failure.Userf("row %d has %d cells, not one for each of the %d columns", r.row, len(cells), columns)
	}
	for i, c := range r.types {
		switch cell := cells[i]; {
		case cell == "" && !c.Nullable:
			return failure.Userf("row %d, column %q: a value is missing, the column is not nullable", r.row, c.Name)
		case cell != "" && !fits(c, cell):
			return failure.Userf("row %d, column %q: %.40q is not of the type %s", r.row, c.Name, cell, typeText(c))
		}
	}
	return nil
}
