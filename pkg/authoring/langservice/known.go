package langservice

import (
	"cmp"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// knownValues returns the texts that may be the value of n: values of its type, names of
// functions, and names that the text declares.
func (c *completer) knownValues(n *node, what declaration) []Item {
	var all []Item
	add := func(kind, detail string, names ...string) {
		for _, name := range names {
			all = append(all, Item{Label: name, Kind: kind, Detail: detail})
		}
	}
	if what.kind != nil {
		add("value", "", what.kind.Values()...)
	}
	vocabulary := c.d.language.Vocabulary
	switch in := n.parent; {
	case in == nil:
	case n.name == functionKey && (what.expression || what.kind == nil || in.parent != nil && in.parent.name == config.JobPlaceholders.Name):
		for _, f := range vocabulary.Functions {
			all = append(all, Item{Label: f.Name, Kind: "function", Detail: f.Signature(), Doc: plain(f.Doc)})
		}
	case n.name == string(expr.Attr) && what.expression:
		add("attribute", "key of config", c.attributes()...)
	case n.name == string(expr.Paging) && what.expression:
		add("name", "value of paging", c.d.pagingValues(n)...)
	case n.name == config.JobScroller.Name:
		add("name", "scroller", c.memberNames(config.APISection.Name, config.PaginationSection.Name, pagination.Named.Name)...)
	case n.name == config.NamesDataType.Name && in.name == config.JobNames.Name:
		add("name", "data type of a job", c.dataTypes(in.parent)...)
	case n.name == config.JobDataType.Name, n.name == config.JobMapping.Name && in.child(config.JobEndpoint.Name) != nil:
		add("name", "mapping", c.memberNames(config.ConfigSection.Name, config.MappingsSetting.Name)...)
	}
	return all
}

const functionKey = "function"

func (d *buffer) settings() *node {
	if wrapped := d.root.child(config.Wrapper.Name); wrapped != nil {
		return wrapped
	}
	return d.root
}

func (c *completer) memberNames(path ...string) []string {
	n := c.d.settings()
	for _, name := range path {
		n = n.child(name)
	}
	var names []string
	if n != nil && n.kind == object {
		for _, m := range n.children {
			names = append(names, m.name)
		}
	}
	return names
}

// dataTypes returns the data types of all jobs except one.
func (c *completer) dataTypes(except *node) []string {
	var names []string
	var add func(jobs *node)
	add = func(jobs *node) {
		if jobs == nil {
			return
		}
		for _, job := range jobs.children {
			name := job.child(config.JobDataType.Name)
			if name == nil {
				name = job.child(config.JobEndpoint.Name)
			}
			if name != nil && name.kind == text && job != except {
				names = append(names, name.raw(c.d.text))
			}
			add(job.child(config.JobChildren.Name))
		}
	}
	if settings := c.d.settings().child(config.ConfigSection.Name); settings != nil {
		add(settings.child(config.JobsSetting.Name))
	}
	return names
}

// attributes returns the keys of `config`, attributes before settings.
func (c *completer) attributes() []string {
	t := declaredAt(c.d.language, c.d.settings().child(config.ConfigSection.Name)).kind
	names := c.memberNames(config.ConfigSection.Name)
	own := func(name string) int {
		if f, _ := t.Inside(name); f != nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(names, func(a, b string) int { return own(a) - own(b) })
	return names
}

// forms returns the keys of expressions that are allowed at node n. Insert is the
// beginning of their value.
func (d *buffer) forms(n *node, what declaration) []Item {
	var all []Item
	if !what.attribute {
		all = append(all, Item{Label: functionKey, Kind: "function", Detail: "calls a function", Doc: "The name of a function, whose arguments are in args.", Insert: `"|", "args": []`})
	}
	for _, r := range d.language.Vocabulary.References {
		known := slices.ContainsFunc(all, func(i Item) bool { return i.Label == string(r.Key) })
		if known || !slices.ContainsFunc(r.Where, func(p expr.Site) bool { return slices.Contains(what.places, p) }) || r.Key == expr.Paging && len(d.pagingValues(n)) == 0 {
			continue
		}
		all = append(all, Item{Label: string(r.Key), Kind: "reference", Detail: cmp.Or(r.Argument, "NAME"), Doc: plain(r.Doc), Insert: `"|"`})
	}
	if !what.attribute {
		all = append(all, Item{Label: "args", Kind: "key", Detail: "list", Doc: "The arguments of the function; each may be an expression.", Insert: "[|]"})
	}
	return append(all,
		Item{Label: "default", Kind: "key", Detail: "value expression", Doc: "Used where the expression is null or the empty text.", Insert: "|"},
		Item{Label: "literal", Kind: "key", Detail: "any value", Doc: "A value that is used as written, without evaluation.", Insert: "|"})
}

// pagingValues returns the names of the pagination values of the job around a node. It
// returns nil if the section `pagination` is not valid JSON.
func (d *buffer) pagingValues(n *node) []string {
	job := n
	for job != nil && !(job.parent != nil && job.parent.kind == array && slices.Contains([]string{config.JobsSetting.Name, config.JobChildren.Name}, job.parent.name)) {
		job = job.parent
	}
	settings := d.settings().child(config.APISection.Name).child(config.PaginationSection.Name)
	if job == nil || settings == nil {
		return nil
	}
	v, err := value.Parse([]byte(d.text[settings.start:settings.end]))
	if err != nil {
		return nil
	}
	var problems failure.Problems
	return d.language.Paging.Values(field.NewSection(v, "", &problems), job.child(config.JobScroller.Name).raw(d.text))
}

// inText adds completions in a text: whole texts, or placeholders if the cursor is after
// an opening brace.
func (c *completer) inText(n *node) {
	written := c.d.text[n.start+1 : max(n.start+1, min(c.offset, n.end))]
	open := strings.LastIndexByte(written, '{')
	if open >= 0 && !strings.Contains(written[open:], "}") {
		c.placeholders(n, written, open)
		return
	}
	c.prefix = written
	for _, i := range c.knownValues(n, declaredAt(c.d.language, n)) {
		i.Insert = value.OfString(i.Label).JSON()
		i.Start, i.End, i.Caret = n.start, n.end, len(i.Insert)
		c.items = append(c.items, i)
	}
}

// placeholders adds {{variables}} and, in an endpoint, the {placeholders} of the job.
func (c *completer) placeholders(n *node, written string, open int) {
	start := n.start + 1 + open
	add := func(kind, detail, insert string) {
		for _, closing := range []string{"}}", "}"} {
			if strings.HasSuffix(insert, closing) && strings.HasPrefix(c.d.text[c.offset:], closing) {
				insert = strings.TrimSuffix(insert, closing)
				break
			}
		}
		label := strings.Trim(insert, "{}")
		c.items = append(c.items, Item{Label: label, Kind: kind, Detail: detail, Insert: insert, Start: start, End: c.offset, Caret: len(insert)})
	}
	c.prefix = written[open+1:]
	if open > 0 && written[open-1] == '{' {
		start--
		for _, name := range c.variables(n) {
			add("variable", "variable", "{{"+name+"}}")
		}
		return
	}
	if n.name == config.JobEndpoint.Name && n.parent != nil {
		if declaredHere := n.parent.child(config.JobPlaceholders.Name); declaredHere != nil {
			for _, m := range declaredHere.children {
				add("placeholder", "placeholder of this job", "{"+m.name+"}")
			}
		}
	}
	for _, name := range c.variables(n) {
		add("variable", "variable", "{{"+name+"}}")
	}
}

// variables returns the names of all variables, except variables that only n mentions,
// because the user is still writing n.
func (c *completer) variables(n *node) []string {
	names := slices.Clone(c.d.Variables)
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	for _, part := range []string{c.d.text[:n.start], c.d.text[n.end:]} {
		for _, name := range variables.Placeholders(value.OfString(part)) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// endpointPlaceholders returns the names of the placeholders in the endpoint of a job.
func (c *completer) endpointPlaceholders(job *node) []string {
	var names []string
	endpoint := job.child(config.JobEndpoint.Name).raw(c.d.text)
	for {
		_, rest, found := strings.Cut(endpoint, "{")
		if !found {
			return names
		}
		name, after, closed := strings.Cut(rest, "}")
		if closed && name != "" && !strings.ContainsAny(name, "{ ") && !slices.Contains(names, name) {
			names = append(names, name)
		}
		endpoint = after
	}
}
