package webui

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// document is a JSON text in lines, with its secrets hidden.
type document struct {
	Lines []line
	// starts maps a JSON pointer to the index of the first line of its value.
	starts map[string]int
	// ends maps a JSON pointer to the index of the line that closes the object or list.
	ends map[string]int
}

// newDocument lays out a JSON text in lines. It hides secrets, including the values of
// the named variables. A text that is not JSON is hidden completely.
func newDocument(text []byte, names map[string]bool) document {
	v, err := value.Parse(text)
	if err != nil {
		v = value.OfString(secret.Hidden)
	}
	l := jsonLayout{
		text: maskSecrets(v, names).JSON(), most: math.MaxInt, longest: math.MaxInt,
		starts: map[string]int{}, ends: map[string]int{},
	}
	l.run()
	return document{l.lines, l.starts, l.ends}
}

// addNote adds a note at a pointer, or at the nearest value that contains the pointer,
// and returns the line number of that value. A note about a missing key gets a line of
// its own at the end of the object.
func (d *document) addNote(pointer string, n note) int {
	nearest := d.nearest(pointer)
	n.Missing = nearest != pointer
	absent := n.Key
	if rest, below := strings.CutPrefix(pointer, nearest+"/"); below && !strings.ContainsAny(rest, "/~") {
		absent = rest
	}
	marked := &d.Lines[d.starts[nearest]]
	n.Line = marked.Number
	if _, err := strconv.Atoi(absent); absent != "" && err != nil && d.insert(nearest, absent, n) {
		return marked.Number
	}
	marked.Notes = append(marked.Notes, n)
	return marked.Number
}

// insert adds a line with a missing key to an object. It returns false if the object is
// not laid out in lines.
func (d *document) insert(pointer, key string, n note) bool {
	at, found := d.ends[pointer]
	if !found || !strings.HasPrefix(d.Lines[at].Tokens[0].Text, "}") {
		return false
	}
	n.Missing = false
	shown := line{
		Indent: d.Lines[at].Indent + 1, Absent: true, Notes: []note{n},
		Tokens: []token{{"key", value.OfString(key).JSON()}, {Text: ": …"}},
	}
	d.Lines = slices.Insert(d.Lines, at, shown)
	for _, places := range []map[string]int{d.starts, d.ends} {
		for p, i := range places {
			if i >= at {
				places[p] = i + 1
			}
		}
	}
	return true
}

// nearest returns the pointer if it exists, otherwise the pointer of the innermost value
// that contains it.
func (d *document) nearest(pointer string) string {
	for {
		if _, found := d.starts[pointer]; found {
			return pointer
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
}

// isSecret reports whether the value of a key or of a variable is a secret.
func isSecret(name string) bool { return strings.HasPrefix(name, "#") }

func maskSecrets(v value.Value, names map[string]bool) value.Value {
	return queue.MaskSecrets(v, func(variable string) bool { return isSecret(variable) || names[variable] })
}

// secretVariables adds to names the variables that are used below keys that begin with #,
// because their values are secrets too.
func secretVariables(document []byte, names map[string]bool) {
	for _, name := range variables.SecretPlaceholders(fields(document)) {
		names[name] = true
	}
}
