package architecture

// A box is a package in the diagram, with those below it that have no box of their own.
type box struct {
	name   string // without pkg/
	wing   string // a class in the style of the diagram
	column float64
}

// The wings, in the order of the legend.
var wings = []struct{ class, title string }{
	{"program", "programs"}, {"run", "the run"}, {"language", "the configuration language"},
	{"authors", "tools for authors"}, {"platform", "the platform"},
}

// boxes are drawn with arrows. Their rows follow from the imports. The columns are
// chosen so that lines are short.
var boxes = []box{
	{"cmd/extractor", "program", 3},
	{"cmd/devstack", "program", 0},

	{"app", "run", 3},
	{"load", "run", 4},
	{"engine", "run", 3},
	{"api/exchange", "run", 2},
	{"api/auth", "run", 2},
	{"api/rule", "run", 2.5},
	{"api/paging", "run", 3.5},
	{"api/answer", "run", 3},
	{"api/har", "run", 1},
	{"api/disguise", "run", 0},
	{"api/request", "run", 1.5},
	{"state", "run", 2.5},
	{"tables/mapping", "run", 4},
	{"tables/table", "run", 4},
	{"tables/merge", "run", 6},
	{"tables/sorter", "run", 6},
	{"datadir", "run", 5},

	{"config", "language", 3.5},
	{"language", "language", 4},

	{"authoring", "authors", 5},
	{"authoring/lint", "authors", 5},
	{"authoring/gallery", "authors", 6},

	{"platform", "platform", 0},
	{"devstack", "platform", 0},
}

// usedByAll are packages that most others import. They have no arrows.
var usedByAll = []string{"value", "failure", "secret", "event", "env", "prose", "php"}
