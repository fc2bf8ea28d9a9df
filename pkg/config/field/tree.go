package field

import (
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Tree is the type of a whole document.
type Tree struct {
	root *Type
	// owners maps a key to the paths of the sections with this key.
	owners map[string][]string
}

// NewTree returns the tree of a document's type. Paths of sections begin below wrapper,
// the field that may contain all settings.
func NewTree(root *Type, wrapper string) *Tree {
	t := &Tree{root: root, owners: map[string][]string{}}
	type section struct {
		*Type
		path string
	}
	seen := map[*Type]bool{}
	for queue := []section{{root.Field(wrapper).Type, ""}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		base := at.base()
		if base == nil || seen[base] {
			continue
		}
		seen[base] = true
		for _, f := range base.Fields {
			if f.Type != nil && at.path != "" && f.Deprecated == "" {
				t.owners[f.Name] = append(t.owners[f.Name], at.path)
			}
			queue = append(queue, section{f.Type, strings.TrimPrefix(at.path+"."+f.Name, ".")})
		}
		queue = append(queue, section{base.Items, at.path}, section{base.Others, at.path})
	}
	return t
}

// Root returns the type of the document.
func (t *Tree) Root() *Type { return t.root }

// At returns the type of the value at a pointer, or nil if any value is allowed. declared
// is false if no field has this pointer.
func (t *Tree) At(pointer string) (at *Type, declared bool) {
	at = t.root
	for _, name := range failure.PointerSplit(pointer) {
		base := at.base()
		if base == nil {
			return nil, true
		}
		f := base.Field(name)
		switch {
		case f != nil:
			at = f.Type
		case base.Others != nil:
			at = base.Others
		case base.Items != nil:
			at = base.Items
		default:
			return nil, base.AllowUnknown || len(base.Fields) == 0
		}
	}
	return at, true
}

// sectionOf returns the path of a section with a key of this name. It prefers sections
// below the section of the pointer, then the section nearest to the root.
func (t *Tree) sectionOf(name, pointer string) (string, bool) {
	here := keysTo(pointer)
	here = here[:max(0, strings.LastIndexByte(here, '.'))]
	best := ""
	for _, section := range t.owners[name] {
		if strings.HasPrefix(here, "config.mappings.") && !strings.HasPrefix(section, "config.mappings") {
			continue // keys in mappings are mostly names of the data
		}
		inner := strings.HasPrefix(section, here+".") && here != ""
		switch {
		case best == "":
			best = section
		case inner && !strings.HasPrefix(best, here+"."):
			best = section
		}
	}
	return best, best != ""
}

// keysTo converts a pointer to a path of keys, without `parameters` and indexes.
func keysTo(pointer string) string {
	var names []string
	for _, name := range failure.PointerSplit(pointer) {
		if _, err := strconv.Atoi(name); err == nil || name == "parameters" {
			continue
		}
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

// Visit calls visit for the value of each declared field of a document, with the section
// around it. visit returns whether to visit the fields inside.
func (t *Tree) Visit(doc value.Value, pointer string, visit func(f *Field, at, around Section) bool) {
	t.root.visit(Section{Value: doc, Pointer: pointer}, visit)
}

func (t *Type) visit(s Section, visit func(f *Field, at, around Section) bool) {
	base := t.base()
	if base == nil {
		return
	}
	for _, m := range s.Value.Members() {
		at := s.child(m.Name, m.Value)
		if f := base.Field(m.Name); f == nil {
			base.Others.visit(at, visit)
		} else if visit(f, at, s) {
			f.Type.visit(at, visit)
		}
	}
	if base.Items != nil {
		for i, item := range s.Value.Items() {
			base.Items.visit(s.child(strconv.Itoa(i), item), visit)
		}
	}
}
