package config

import (
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Options are what compiling depends on besides the document.
type Options struct {
	// Now is the clock behind the functions in headers and the base URL; nil is
	// the computer's.
	Now func() time.Time
	// Strict makes unknown keys problems instead of warnings.
	Strict bool
	// Conceal is told the secrets that are computed, see expr.Scope; nil is told
	// nothing.
	Conceal func(secret string)
}

// Compile validates and compiles a document whose variables are replaced. It
// never stops at the first problem. The list of problems, in the order of the
// document, is the one that all sections of the result report to, so that other
// rooms can compile theirs before it is judged; with problems the result is good
// for nothing else.
func Compile(doc value.Value, o Options) (*Document, *failure.Problems) {
	c := &compiler{
		schema:   loadSchema(),
		document: markSecrets(doc),
		now:      o.Now,
		conceal:  o.Conceal,
		problems: &failure.Problems{},
		faulty:   map[string]bool{},
		ids:      map[string]string{},
	}
	if c.now == nil {
		c.now = time.Now
	}
	compiled := c.compile(o.Strict)
	*c.problems = inOrder(doc, *c.problems)
	compiled.Warnings = inOrder(doc, c.warnings)
	return compiled, c.problems
}

// compiler is the state of one call of Compile.
type compiler struct {
	schema   *schema
	document value.Value // as it was given
	now      func() time.Time
	conceal  func(secret string)
	problems *failure.Problems
	warnings failure.Problems
	// faulty holds the places of values that violate the schema.
	faulty map[string]bool
	// ids are the computed ids of jobs, by their places.
	ids map[string]string
}

func (c *compiler) compile(strict bool) *Document {
	c.ciphers(c.document, "")
	root, prefix := c.locate()
	p := preparer{warnings: &c.warnings}
	prepared := p.prepare(root, c.schema.root, "")
	for _, pointer := range p.sole {
		found, _ := lookup(c.document, pointer)
		c.fault(failure.WrongType, pointer, found, "expected a list of jobs", "put the job into brackets: [{\"endpoint\": …}]")
	}
	c.validate(prepared)
	all := Section{Value: prepared, problems: c.problems, faulty: c.faulty}
	settings := all
	if prefix != "" {
		settings = all.Get("parameters")
	}
	c.unknownKeys(p.unknown, settings.Pointer, strict)
	return &Document{
		Action:        all.Text("action", "run"),
		Iterations:    c.iterations(settings),
		AllowedHosts:  c.allowedHosts(all.Get("image_parameters").Get("allowed_hosts")),
		Authorization: all.Get("authorization"),
		SSHProxy:      settings.Get("sshProxy"),
		AWS:           switched(settings.Get("aws"), settings.Get("aws").Get("signature").Get("credentials").Present()),
		Cache:         switched(settings.Get("cache"), settings.Get("cache").Present()),
	}
}

// wrapped are the sections that stand under `parameters` or at the top level.
func wrapped() []string { return []string{"api", "config", "iterations", "cache", "sshProxy", "aws"} }

// locate is the document with the settings in one place only, and the JSON
// pointer of that place. The wrapper wins over sections beside it.
func (c *compiler) locate() (value.Value, string) {
	root := c.document
	if root.Kind() == value.Array && root.Len() == 0 {
		root = value.OfMembers()
	}
	var beside []string
	for _, name := range wrapped() {
		if !root.Field(name).IsNull() {
			beside = append(beside, name)
		}
	}
	switch parameters := root.Field("parameters"); {
	case !parameters.Empty():
		if len(beside) > 0 {
			c.warn(failure.NoEffect, "/"+beside[0], "ignored, because the settings under \"parameters\" count: "+list(beside), "leave one of the two out")
		}
		return root.Without(wrapped()...), "/parameters"
	case root.Kind() == value.Object && len(beside) == 0:
		c.problems.Add(failure.Problem{Code: failure.MissingKey, Expected: "expected the key \"parameters\" with the sections \"api\" and \"config\""})
	case root.Kind() == value.Object:
		for _, name := range []string{"api", "config"} {
			if root.Field(name).Empty() {
				c.problems.Add(failure.Problem{Code: failure.MissingKey, Expected: "expected the key " + ownName(name), Hint: misspelt(root, name, c.schema.root)})
			}
		}
	}
	return root.Without("parameters"), ""
}

// markSecrets is a document whose values below keys with a hash sign are marked as
// secrets.
func markSecrets(v value.Value) value.Value {
	return v.Map(func(m value.Member) value.Member {
		if strings.HasPrefix(m.Name, "#") {
			m.Value = m.Value.AsSecret()
		} else {
			m.Value = markSecrets(m.Value)
		}
		return m
	})
}

// ciphers reports secrets that nobody decrypted: the platform hands over plain
// text, so these are copies from a stored configuration.
func (c *compiler) ciphers(v value.Value, pointer string) {
	for _, item := range (Section{Value: v, Pointer: pointer}).Items() {
		name := item.Pointer[strings.LastIndexByte(item.Pointer, '/')+1:]
		if v.Kind() == value.Object && strings.HasPrefix(name, "#") && strings.HasPrefix(item.Value.Raw(), "KBC::") {
			c.problems.Add(failure.Problem{Code: failure.EncryptedSecret, Pointer: item.Pointer, Found: "a value that is still encrypted",
				Expected: "expected the decrypted value", Hint: "write the secret itself for a run outside the platform"})
		}
		c.ciphers(item.Value, item.Pointer)
	}
}

func (c *compiler) allowedHosts(s Section) []AllowedHost {
	var hosts []AllowedHost
	for _, entry := range s.Items() {
		c.restricts(entry.Get("scheme"), "write a scheme, or leave the key out to allow every scheme")
		c.restricts(entry.Get("port"), "write a port, or leave the key out to allow every port")
		hosts = append(hosts, AllowedHost{
			Scheme:   entry.Text("scheme", ""),
			Host:     entry.Text("host", ""),
			Port:     entry.Int("port", 0),
			Endpoint: entry.Text("endpoint", ""),
		})
	}
	return hosts
}

// restricts reports a key of an entry that is there but empty. In the original no
// address has that scheme or port; here it would allow all of them.
func (c *compiler) restricts(s Section, hint failure.Text) {
	given, ok := lookup(c.document, s.Pointer)
	if zero, isNumber := given.Int(); ok && !given.IsNull() && (given.Empty() || isNumber && zero == 0) {
		s.Value = given
		s.Problem("expected a value, as an empty one restricts nothing", hint)
	}
}

// switched is a section whose value is null when it is off.
func switched(s Section, on bool) Section {
	if !on {
		s.Value = value.Value{}
	}
	return s
}

func (c *compiler) warn(code failure.Code, pointer string, text, hint failure.Text) {
	c.warnings.Add(failure.Problem{Code: code, Pointer: pointer, Expected: text, Hint: hint})
}
