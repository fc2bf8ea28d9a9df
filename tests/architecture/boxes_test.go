package architecture

// group is a group of boxes in the diagram. A box is a package with the packages
// below it that have no box of their own.
type group struct {
	title string
	boxes []string // package paths without pkg/
}

// groups are the groups of the diagram, from top to bottom.
//
// To add a package, add its path to a group here, unless a package above it has a box, and
// a row to a table in docs/understand/architecture.md. `go test ./tests/architecture
// -update` draws the diagram.
var groups = []group{
	{"Programs", []string{"cmd/extractor", "cmd/devstack"}},
	{"The platform", []string{"devstack", "platform"}},
	{"Tools for authors", []string{"authoring"}},
	{"The configuration language", []string{"diagnostic", "lint", "gallery", "schema", "config"}},
	{"The run", []string{
		"app", "report", "load", "engine", "api/httpclient", "api/pagination", "api/auth", "api/rule", "api/har", "api/request", "api/response",
		"state", "tables/mapping", "tables/merge", "tables/extsort", "tables/csvtable", "files", "datadir",
	}},
}

// onlyFor are packages that only the listed boxes may import. A run needs no tool for
// authors.
var onlyFor = map[string][]string{
	"authoring": {"cmd/extractor", "cmd/devstack", "devstack"},
	"devstack":  {"cmd/devstack"},
}

// usedByAll are packages that most others import. The diagram leaves them out.
var usedByAll = []string{"value", "failure", "secret", "event", "env", "textfmt", "php"}
