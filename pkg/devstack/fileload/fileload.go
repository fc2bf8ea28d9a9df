// Package fileload stores the files that a component wrote to out/files, as the platform
// does: each file with the tags and the permanence of its manifest, or of its entry in the
// output mapping, and with the platform's own tags.
//
// All manifests are checked before the first file is stored. Contents are copied as they
// are, never held in memory, and served for download only: a component may store anything
// that an API has sent. is_public, is_encrypted and notify have no effect here.
package fileload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Kind is the media type of all files: no browser shows or runs it.
const Kind = "application/octet-stream"

const (
	filesDir = "out/files"
	// maxManifest is the maximum size of a manifest in bytes.
	maxManifest = 1 << 20
)

// Options describe the files of a run.
type Options struct {
	Store *store.Store
	// Dir is the data directory.
	Dir string
	// Component, Config, Row and Branch become tags, and so does Job, which is also the
	// run id of the files. Row may be empty.
	Component, Config, Row, Branch, Job string
	// Storage is the section "storage" of the configuration. Only output.files is read.
	Storage value.Value
	// Warn is called with warnings.
	Warn func(text string)
}

// settings are the settings of a file, from its manifest or from the output mapping.
type settings struct {
	tags      []string
	permanent bool
}

// plan is a file to store.
type plan struct {
	name string
	settings
}

// Load stores the files of a data directory in the order of their names, and returns how
// many it has stored. Mistakes of the component and of the configuration are user errors.
func Load(ctx context.Context, o Options) (stored int, err error) {
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return 0, failure.Applicationf("opening the data directory: %w", err)
	}
	defer root.Close()
	plans, err := o.plan(root)
	if err != nil {
		return 0, err
	}
	for _, p := range plans {
		if err := ctx.Err(); err != nil {
			return stored, err
		}
		if err := o.add(ctx, root, p); err != nil {
			return stored, failure.Applicationf("storing file %q: %w", p.name, err)
		}
		stored++
	}
	return stored, nil
}

func (o Options) add(ctx context.Context, root *os.Root, p plan) error {
	contents, err := root.Open(filesDir + "/" + p.name)
	if err != nil {
		return err
	}
	defer contents.Close() // it is only read
	_, err = o.Store.AddFile(store.File{Name: p.name, Kind: Kind, Tags: o.tags(p.tags), RunID: o.Job, Permanent: p.permanent}, func(w io.Writer) error {
		_, err := io.Copy(w, untilDone{ctx, contents})
		return err
	})
	return err
}

// untilDone reads until a context ends.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// tags adds the platform's tags, and drops tags that are there twice.
func (o Options) tags(own []string) []string {
	all := slices.Clone(own)
	for _, system := range []struct{ key, value string }{
		{"componentId", o.Component}, {"configurationId", o.Config}, {"configurationRowId", o.Row}, {"branchId", o.Branch}, {"runId", o.Job},
	} {
		if system.value != "" {
			all = append(all, system.key+": "+system.value)
		}
	}
	var once []string
	for _, tag := range all {
		if !slices.Contains(once, tag) {
			once = append(once, tag)
		}
	}
	return once
}

// plan makes all checks that are possible before the first file is stored.
func (o Options) plan(root *os.Root) ([]plan, error) {
	mapped, err := o.mapping()
	if err != nil {
		return nil, err
	}
	names, err := o.list(root)
	if err != nil {
		return nil, err
	}
	var plans []plan
	for _, name := range names {
		if table, isManifest := strings.CutSuffix(name, csvtable.ManifestSuffix); isManifest {
			if _, found := slices.BinarySearch(names, table); !found {
				return nil, failure.Userf("Found orphaned file manifest: %q", name)
			}
			continue
		}
		p := plan{name: name}
		s, isMapped := mapped[name]
		delete(mapped, name)
		if _, hasManifest := slices.BinarySearch(names, name+csvtable.ManifestSuffix); hasManifest && !isMapped {
			if s, err = readManifest(root, name+csvtable.ManifestSuffix); err != nil {
				return nil, err
			}
		}
		p.settings = s
		plans = append(plans, p)
	}
	for name := range mapped {
		return nil, failure.Userf("File %q not found.", name)
	}
	return plans, nil
}

// list returns the names of the files in out/files, sorted. It refuses links, pipes and
// devices: a link could lead to other files of this machine.
func (o Options) list(root *os.Root) ([]string, error) {
	switch at, err := root.Lstat(filesDir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, failure.Userf("cannot list %s: %w", filesDir, err)
	case !at.IsDir():
		return nil, failure.Userf("%s must be a directory", filesDir)
	}
	entries, err := fs.ReadDir(root.FS(), filesDir)
	if err != nil {
		return nil, failure.Userf("cannot list %s: %w", filesDir, err)
	}
	var names []string
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			o.Warn(fmt.Sprintf("Directory %q in %s is not stored: only files are.", e.Name(), filesDir))
		case !e.Type().IsRegular():
			return nil, failure.Userf("%q is not a file; files cannot be links, pipes or devices", filesDir+"/"+e.Name())
		default:
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// mapping returns the settings in the output mapping, by file.
func (o Options) mapping() (map[string]settings, error) {
	all := map[string]settings{}
	for i, entry := range o.Storage.Field("output").Field("files").Items() {
		where := fmt.Sprintf("storage.output.files.%d", i)
		source := entry.Field("source")
		if source.Kind() != value.String || source.Text() == "" {
			return nil, failure.Userf("%q must be a text", where+".source")
		}
		s, err := settingsOf(entry, "source")
		if err != nil {
			return nil, failure.Userf("%s: %w", where, err)
		}
		all[source.Text()] = s
	}
	return all, nil
}

func readManifest(root *os.Root, name string) (s settings, err error) {
	path := filesDir + "/" + name
	at, err := root.Stat(path)
	switch {
	case err != nil:
		return s, failure.Applicationf("reading a manifest: %w", err)
	case at.Size() > maxManifest:
		return s, failure.Userf("manifest %q has %d bytes, at most %d are allowed", name, at.Size(), maxManifest)
	}
	text, err := root.ReadFile(path)
	if err != nil {
		return s, failure.Applicationf("reading a manifest: %w", err)
	}
	v, err := value.Parse(text)
	if err == nil {
		s, err = settingsOf(v)
	}
	if err != nil {
		return s, failure.Userf("Failed to parse manifest file %q as \"json\": %w", path, err)
	}
	return s, nil
}

// settingsOf reads the settings of a file. Members that neither it nor the caller reads
// are an error, as on the platform.
func settingsOf(v value.Value, others ...string) (s settings, err error) {
	if v.Kind() == value.Array && v.Len() == 0 {
		return s, nil // PHP writes an empty object as a list
	}
	if v.Kind() != value.Object {
		return s, fmt.Errorf("expected an object, found %s", v.Kind().WithArticle())
	}
	for _, m := range v.Members() {
		switch m.Name {
		case "tags":
			if m.Value.Kind() != value.Array && !m.Value.IsNull() {
				return s, fmt.Errorf("%q must be a list", m.Name)
			}
			for _, tag := range m.Value.Items() {
				if !tag.IsScalar() {
					return s, fmt.Errorf("%q must be a list of texts", m.Name)
				}
				s.tags = append(s.tags, tag.Text())
			}
		case "is_permanent", "is_public", "is_encrypted", "notify":
			if m.Value.Kind() != value.Bool && !m.Value.IsNull() {
				return s, fmt.Errorf("%q must be true or false", m.Name)
			}
			s.permanent = s.permanent || m.Name == "is_permanent" && m.Value.True()
		default:
			if !slices.Contains(others, m.Name) {
				return s, fmt.Errorf("unknown key %q, expected tags, is_public, is_permanent, is_encrypted or notify", m.Name)
			}
		}
	}
	return s, nil
}
