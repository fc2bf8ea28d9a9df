package variables

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// tag matches {{name}}, {{ name }}, {{&name}} and {{{name}}}. The name is in the group
// that matched. Sections and comments of Mustache do not match.
var tag = regexp.MustCompile(`\{\{\{\s*(` + name + `)\s*\}\}\}|\{\{&?\s*(` + name + `)\s*\}\}`)

const name = `[A-Za-z0-9_][A-Za-z0-9_.-]*`

// Placeholders returns the names of the variables in a document, in strings and in names
// of members, without duplicates, in the order of their first occurrence.
func Placeholders(doc value.Value) []string {
	var names nameSet
	var walk func(v value.Value)
	walk = func(v value.Value) {
		if v.Kind() == value.String {
			scan(v.Raw(), &names)
		}
		for _, item := range v.Items() {
			walk(item)
		}
		for _, m := range v.Members() {
			scan(m.Name, &names)
			walk(m.Value)
		}
	}
	walk(doc)
	return names
}

// SecretPlaceholders returns the names of the variables below a key that begins with #.
func SecretPlaceholders(doc value.Value) []string {
	var names nameSet
	for _, item := range doc.Items() {
		names.add(SecretPlaceholders(item)...)
	}
	for _, m := range doc.Members() {
		found := SecretPlaceholders(m.Value)
		if strings.HasPrefix(m.Name, "#") {
			found = Placeholders(m.Value)
		}
		names.add(found...)
	}
	return names
}

// AddSecrets adds the secrets of a document like secret.Registry.AddDocument. A text of
// placeholders only is not a secret: the value that replaces it is. open is true if the
// placeholders of the document may still be replaced. Then a text with other characters
// beside its placeholders is a template, too.
func AddSecrets(secrets *secret.Registry, doc value.Value, open bool) {
	for _, text := range secret.SecretsIn(doc) {
		switch plain := tag.ReplaceAllString(text, ""); {
		case plain == text:
			secrets.AddConfigured(text)
		case strings.TrimSpace(plain) == "":
		case open:
			secrets.AddTemplate(text)
		default:
			secrets.AddConfigured(text)
		}
	}
}

func scan(s string, names *nameSet) {
	for _, match := range tag.FindAllStringSubmatch(s, -1) {
		names.add(match[1] + match[2])
	}
}

// Replace replaces placeholders by values and returns the replaced names, without
// duplicates, in the order of the first replacement. A placeholder without a value stays.
// A string stays a string. It is a user error if two names of one object become equal.
//
// A variable that is used below a key with a hash sign is a secret everywhere: the
// strings that contain its value are marked (value.Value.AsSecret).
func Replace(doc value.Value, values map[string]string) (value.Value, []string, error) {
	r := replacer{values: values, secrets: SecretPlaceholders(doc)}
	filled, err := r.value(doc, "")
	if err != nil {
		return value.Value{}, nil, err
	}
	return filled, r.replaced, nil
}

type replacer struct {
	values   map[string]string
	secrets  []string
	replaced nameSet
}

func (r *replacer) value(v value.Value, pointer string) (value.Value, error) {
	switch v.Kind() {
	case value.String:
		text, secret := r.text(v.Raw())
		if secret {
			return value.OfString(text).AsSecret(), nil
		}
		return value.OfString(text), nil
	case value.Array:
		items := make([]value.Value, 0, v.Len())
		for i, item := range v.Items() {
			filled, err := r.value(item, failure.PointerJoin(pointer, strconv.Itoa(i)))
			if err != nil {
				return value.Value{}, err
			}
			items = append(items, filled)
		}
		return value.OfItems(items...), nil
	case value.Object:
		return r.object(v, pointer)
	default:
		return v, nil
	}
}

func (r *replacer) object(v value.Value, pointer string) (value.Value, error) {
	members := make([]value.Member, 0, v.Len())
	for _, m := range v.Members() {
		renamed, secret := r.text(m.Name)
		filled, err := r.value(m.Value, failure.PointerJoin(pointer, m.Name))
		if err != nil {
			return value.Value{}, err
		}
		if secret { // the name contains the secret
			filled = filled.AsSecret()
		}
		members = append(members, value.Member{Name: renamed, Value: filled})
	}
	object := value.OfMembers(members...)
	if object.Len() != len(members) {
		return value.Value{}, r.collision(v).At(pointer)
	}
	return object, nil
}

// text replaces the placeholders of a string and records their names. secret reports
// whether the string now contains a secret.
func (r *replacer) text(s string) (text string, secret bool) {
	var b strings.Builder
	from := 0
	for _, at := range tag.FindAllStringSubmatchIndex(s, -1) {
		start, end := at[2], at[3]
		if start < 0 {
			start, end = at[4], at[5]
		}
		filled, ok := r.values[s[start:end]]
		if !ok {
			continue
		}
		r.replaced.add(s[start:end])
		secret = secret || slices.Contains(r.secrets, s[start:end])
		b.WriteString(s[from:at[0]])
		b.WriteString(filled)
		from = at[1]
	}
	b.WriteString(s[from:])
	return b.String(), secret
}

// collision returns the error about equal names in an object. It contains the names of
// variables and not the equal names, because these contain values.
func (r *replacer) collision(object value.Value) *failure.Error {
	var names nameSet
	for _, m := range object.Members() {
		scan(m.Name, &names)
	}
	names = slices.DeleteFunc(names, func(name string) bool { _, ok := r.values[name]; return !ok })
	return failure.Userf("replacing variables makes two names of one object equal: %s", strings.Join(names, ", "))
}

// nameSet is a list of names without duplicates.
type nameSet []string

func (l *nameSet) add(names ...string) {
	for _, name := range names {
		if !slices.Contains(*l, name) {
			*l = append(*l, name)
		}
	}
}
