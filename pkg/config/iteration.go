package config

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/tables/table"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// settings are `config` with an item of `iterations` laid over it: a key of the
// item replaces the whole value, and stands at its own place.
type settings struct {
	base, over Section
	given      value.Value // the item as it was given, also with its empty keys
}

// owner is the section that decides about a key.
func (s settings) owner(name string) Section {
	if _, ok := s.given.Get(name); ok {
		return s.over
	}
	return s.base
}

// Get is the member of that name, or an empty section at its place.
func (s settings) Get(name string) Section { return s.owner(name).Get(name) }

// iterations compiles one iteration for each item, or one for `config` alone.
func (c *compiler) iterations(root Section) []Iteration {
	base := settings{base: root.Get("config")}
	var all []Iteration
	if items := root.Get("iterations"); items.Value.Kind() == value.Array {
		for _, item := range items.Items() {
			given, _ := lookup(c.document, item.Pointer)
			all = append(all, c.iteration(root.Get("api"), settings{base: base.base, over: item, given: given}))
		}
	}
	if len(all) == 0 {
		all = append(all, c.iteration(root.Get("api"), base))
	}
	return all
}

func (c *compiler) iteration(api Section, s settings) Iteration {
	it := Iteration{
		Attributes:     c.attributes(s),
		Debug:          s.owner("debug").Bool("debug", false),
		FailIncomplete: s.owner("onIncomplete").Text("onIncomplete", "") == "fail",
		DriftWarning:   s.owner("driftWarning").Bool("driftWarning", false),
		Bucket:         bucket(api, s),
		Incremental:    s.owner("incrementalOutput").Bool("incrementalOutput", false),
		CompatLevel:    compatLevel(s.owner("compatLevel")),
		UserData:       s.Get("userData"),
		Mappings:       s.Get("mappings"),
	}
	e := evaluator{compiler: c, attr: expr.Flatten(it.Attributes), conceal: c.conceal}
	it.API = c.api(api, s, e)
	jobs := s.Get("jobs")
	if _, ok := s.given.Get("jobs"); ok && jobs.Value.IsNull() {
		jobs.Problem("expected a list with at least one job", "")
	}
	it.Jobs = c.jobs(jobs, e, false, false)
	return it
}

// attributes are `config` and the item as they were given, without the jobs.
func (c *compiler) attributes(s settings) value.Value {
	given, _ := lookup(c.document, s.base.Pointer)
	members := append([]value.Member(nil), given.Members()...)
	return value.OfMembers(append(members, s.given.Members()...)...).Without("jobs")
}

func bucket(api Section, s settings) string {
	if name := s.owner("outputBucket").Text("outputBucket", ""); name != "" {
		if strings.HasPrefix(name, table.OwnPrefix) {
			s.owner("outputBucket").Get("outputBucket").Problem("expected a name that does not begin with "+table.OwnPrefix,
				"the temporary files of a run begin so, and the next run would remove the tables")
		}
		return name
	}
	if id := s.owner("id").Text("id", ""); id != "" {
		return "ex-api-" + api.Text("name", "generic") + "-" + id
	}
	return ""
}

// The compatibility levels: the first table parser is gone, the second one's
// response filter is kept.
const (
	oldestCompatLevel = 2
	newestCompatLevel = 3
)

func compatLevel(parent Section) int {
	s := parent.Get("compatLevel")
	if !s.Present() {
		return newestCompatLevel
	}
	level := parent.Int("compatLevel", newestCompatLevel)
	if level < oldestCompatLevel {
		s.Problem("expected 2 or 3, for the first table parser (1) is not supported",
			"remove the key, or set 2 to keep the older form of responseFilter; columns may get other names")
	}
	return min(max(level, oldestCompatLevel), newestCompatLevel)
}
