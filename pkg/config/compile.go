package config

import (
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Options are the inputs of Compile besides the document.
type Options struct {
	// Now is the clock for functions in headers and in the base URL. Nil means the clock
	// of the system.
	Now func() time.Time
	// Strict makes unknown keys problems instead of warnings.
	Strict bool
	// Conceal registers a secret that an expression computed, see expr.Scope. It may be
	// nil.
	Conceal func(secret string)
	// Random returns n random bytes for functions. Nil means the source of the system.
	Random func(n int) ([]byte, error)
	// Getenv returns the value of an environment variable. Nil means that no variable is
	// set.
	Getenv func(name string) string
	// Open reports whether a text contains a variable, or its replacement, with an
	// unknown value. Such a text is not checked if the result depends on the value. Nil
	// means that all values are known.
	Open func(text string) bool
	// Paging returns the names of the paging values that a job can refer to, for the
	// section `api.pagination` and the scroller of the job. Nil means that there are no
	// such values.
	Paging func(pagination Section, scroller string) []string
	// Vocabulary holds the functions and references of expressions.
	Vocabulary expr.Vocabulary
	// Tree is the type of the document. Nil means the declarations of this package only.
	Tree *field.Tree
}

// Compile validates and compiles a document after its variables were replaced. It does
// not stop at the first problem.
//
// All sections of the result report to the returned list of problems, so other packages
// can add theirs before the caller decides about the list. The list is in the order of
// the document. A result with problems may only be used to find more problems.
func Compile(doc value.Value, o Options) (*Document, *failure.Problems) {
	c := &compiler{
		Options:  o,
		document: markSecrets(doc),
		problems: &failure.Problems{},
		ids:      map[string]string{},
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Paging == nil {
		c.Paging = func(Section, string) []string { return nil }
	}
	if c.Tree == nil {
		c.Tree = NewTree(Types{})
	}
	compiled := c.compile()
	*c.problems = field.InOrder(doc, *c.problems)
	compiled.Warnings = field.InOrder(doc, c.warnings)
	return compiled, c.problems
}

// compiler holds the state of one call of Compile.
type compiler struct {
	Options
	document value.Value // the document, with secrets marked and environment variables filled in
	problems *failure.Problems
	warnings failure.Problems
	// options is `api.http.defaultOptions`, with checked headers.
	options        value.Value
	optionsPointer string  // pointer of options
	pagination     Section // `api.pagination`
	// limit is `api.http.rateLimit`.
	limit RateLimit
	// ids maps the pointers of jobs to their computed ids.
	ids map[string]string
	// namedDataTypes are the data types that `names` of the current iteration refer to.
	namedDataTypes []string
}

func (c *compiler) compile() *Document {
	c.reportEncrypted(c.document, "")
	c.document = c.withEnvironment()
	root, wrapped := c.locateSettings()
	read := c.Tree.Read(root, c.problems)
	c.warnings = append(c.warnings, read.Warnings...)
	all := read.Section()
	settings := all
	if wrapped {
		settings = Wrapper.In(all)
	}
	c.unknownKeys(read, settings.Pointer)
	api := c.api(APISection.In(settings)) // the iterations need it
	c.pagination = PaginationSection.In(APISection.In(settings))
	c.limit = api.RateLimit
	return &Document{
		Action:       action.Of(all),
		API:          api,
		Iterations:   c.iterations(settings),
		AllowedHosts: c.allowedHosts(allowedHosts.In(imageParameters.In(all))),
		Root:         all,
		Vocabulary:   c.Vocabulary,
		Settings:     settings,
	}
}

// sectionNames returns the names of the sections that belong under `parameters` or at
// the top level.
func (c *compiler) sectionNames() []string {
	var names []string
	for _, f := range c.Tree.Root().Field(Wrapper.Name).Type.Fields {
		names = append(names, f.Name)
	}
	return names
}

// locateSettings returns the document with the settings either under `parameters` or at
// the top level. Settings under `parameters` have precedence.
func (c *compiler) locateSettings() (root value.Value, isWrapped bool) {
	root = c.document
	if root.Kind() == value.Array && root.Len() == 0 {
		root = value.OfMembers()
	}
	var beside []string
	for _, name := range c.sectionNames() {
		if !root.Field(name).IsNull() {
			beside = append(beside, name)
		}
	}
	switch parameters := root.Field(Wrapper.Name); {
	case !parameters.Empty():
		if len(beside) > 0 {
			c.warn(failure.NoEffect, "/"+beside[0], "ignored, because the settings under \"parameters\" have precedence: "+field.List(beside), "remove one of the two")
		}
		return root.Without(c.sectionNames()...), true
	case root.Kind() == value.Object && len(beside) == 0:
		c.problems.Add(failure.Problem{Code: failure.MissingKey, Expected: "expected the key \"parameters\" with the sections \"api\" and \"config\""})
	case root.Kind() == value.Object:
		for _, name := range []string{APISection.Name, ConfigSection.Name} {
			if root.Field(name).Empty() {
				c.problems.Add(failure.Problem{Code: failure.MissingKey, Expected: "expected the key " + field.OwnName(name), Hint: field.Misspelt(root, name, c.Tree.Root())})
			}
		}
	}
	return root.Without(Wrapper.Name), false
}

// markSecrets marks all values below keys with a hash sign as secrets.
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

// reportEncrypted reports secrets that are still encrypted. The platform passes secrets
// as plain text, so an encrypted secret was copied from a stored configuration.
func (c *compiler) reportEncrypted(v value.Value, pointer string) {
	for _, item := range (Section{Value: v, Pointer: pointer}).Items() {
		name := item.Pointer[strings.LastIndexByte(item.Pointer, '/')+1:]
		if v.Kind() == value.Object && strings.HasPrefix(name, "#") && strings.HasPrefix(item.Value.Raw(), "KBC::") {
			c.problems.Add(failure.Problem{Code: failure.EncryptedSecret, Pointer: item.Pointer, Found: "a value that is still encrypted",
				Expected: "expected the decrypted value", Hint: "write the secret itself for a run outside the platform"})
		}
		c.reportEncrypted(item.Value, item.Pointer)
	}
}

func (c *compiler) allowedHosts(s Section) []AllowedHost {
	var hosts []AllowedHost
	for _, entry := range s.Items() {
		c.checkRestriction(allowedScheme.In(entry), "write a scheme, or leave the key out to allow every scheme")
		c.checkRestriction(allowedPort.In(entry), "write a port, or leave the key out to allow every port")
		hosts = append(hosts, AllowedHost{
			Scheme:   allowedScheme.Of(entry),
			Host:     allowedHost.Of(entry),
			Port:     allowedPort.Of(entry),
			Endpoint: allowedPath.Of(entry),
		})
	}
	return hosts
}

// checkRestriction reports an empty scheme or port, or port 0, of an allowed host. In the
// original extractor it matches no URL. In this program it would match every URL.
func (c *compiler) checkRestriction(s Section, hint failure.Text) {
	given, ok := c.valueAt(s.Pointer)
	if zero, isNumber := given.Int(); ok && !given.IsNull() && (given.Empty() || isNumber && zero == 0) {
		s.Value = given
		s.Problem("expected a value, because an empty one restricts nothing", hint)
	}
}

// valueAt returns the value at a pointer, before Tree.Read removed or converted anything.
func (c *compiler) valueAt(pointer string) (value.Value, bool) {
	return c.document.Find(failure.PointerSplit(pointer))
}

// nullUnless replaces the value of a section by null if on is false.
func nullUnless(s Section, on bool) Section {
	if !on {
		s.Value = value.Value{}
	}
	return s
}

func (c *compiler) warn(code failure.Code, pointer string, text, hint failure.Text) {
	c.warnings.Add(failure.Problem{Code: code, Pointer: pointer, Expected: text, Hint: hint})
}
