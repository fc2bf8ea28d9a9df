package tableload

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

type plan struct {
	data
	settings    settings
	skipsHeader bool // whether the first line of each part is a header to skip
	load        store.Load
}

// plan makes all checks that are possible before the first load.
func (o Options) plan() ([]plan, error) {
	if !slices.Contains([]string{NoTypes, Hints, Authoritative}, o.DataTypes) {
		return nil, failure.Applicationf("unknown data type support %q", o.DataTypes)
	}
	mapping, err := o.mapping()
	if err != nil {
		return nil, err
	}
	tables, orphans, err := listTables(o.root)
	if err != nil {
		return nil, err
	}
	if len(orphans) > 0 && !o.Failed {
		return nil, failure.Userf("Found orphaned table manifest: %q", orphans[0])
	}
	if err := mapping.checkSources(tables); err != nil && !o.Failed {
		return nil, err
	}
	var plans []plan
	for _, d := range tables {
		manifest, err := o.manifestOf(d)
		if err != nil {
			return nil, err
		}
		for _, s := range mapping.settingsOf(d.name, manifest) {
			if o.Failed && !s.writeAlways {
				continue
			}
			p, err := o.planOf(d, s, mapping.bucket)
			if err != nil {
				return nil, err
			}
			plans = append(plans, p)
		}
	}
	return plans, nil
}

func (o Options) manifestOf(d data) (settings, error) {
	if !d.manifest {
		return settings{}, nil
	}
	path := tablesDir + "/" + d.name + csvtable.ManifestSuffix
	text, err := readManifest(o.root, path)
	if err != nil {
		return settings{}, err
	}
	s, err := parseManifest(path, text)
	if o.Failed && err != nil {
		// The failure of the component is the error to report.
		o.Warn(err.Error())
		return settings{}, nil
	}
	return s, err
}

func (o Options) planOf(d data, s settings, bucket string) (plan, error) {
	p := plan{data: d, settings: s}
	id, err := o.destination(d.name, s, bucket)
	if err != nil {
		return p, err
	}
	within := func(err error) error { return failure.Wrap(fmt.Sprintf("table %q", d.name), "", err) }
	for _, check := range []func() error{s.checkForms, s.checkFormat} {
		if err := check(); err != nil {
			return p, within(err)
		}
	}
	if err := o.checkTypes(s); err != nil {
		return p, err
	}
	l, err := o.newLoad(d.name, s)
	if err != nil {
		return p, within(err)
	}
	headless := len(l.Columns) > 0
	if d.sliced && !headless {
		return p, failure.Userf("Sliced file %q columns specification missing.", d.name)
	}
	p.skipsHeader = !d.sliced && (!headless || s.hasHeader)
	if !headless {
		if l.Columns, err = o.readHeader(p); err != nil {
			return p, within(err)
		}
	}
	l.Table, l.Job, l.Incremental, l.Metadata = id, o.Job, s.incremental, s.metadata
	p.load = l
	if err := l.Check(); err != nil {
		return p, within(err)
	}
	if s.hasDeletes {
		o.Warn(fmt.Sprintf("Table %q: rows chosen by delete_where are not deleted here", d.name))
	}
	return p, nil
}

// checkTypes checks that the table has a schema, if data types are used, and that with
// Authoritative each column has a type.
func (o Options) checkTypes(s settings) error {
	if o.DataTypes == NoTypes {
		return nil
	}
	if len(s.schema) == 0 {
		return failure.Userf("Configuration schema is missing.")
	}
	var missing []string
	for _, c := range s.schema {
		if c.baseType == "" {
			missing = append(missing, c.name)
		}
	}
	if o.DataTypes == Authoritative && len(missing) > 0 {
		return failure.Userf("Missing data type for columns: %s", strings.Join(missing, ", "))
	}
	return nil
}

// readHeader returns the columns in the first line of a file.
func (o Options) readHeader(p plan) (columns []store.Column, err error) {
	f, err := openFile(o.root, p.parts[0], p.settings)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.file.Close()) }()
	names, err := f.records.Read()
	if errors.Is(err, io.EOF) {
		return nil, failure.Userf("the file is empty, a header is missing")
	}
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		columns = append(columns, store.Column{Name: name})
	}
	return columns, nil
}
