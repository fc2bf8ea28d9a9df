package plan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// WriteCurl writes the requests of the first iteration as shell commands. Masked parts
// are shell variables. A comment explains each variable.
func (p *Preview) WriteCurl(w io.Writer) error {
	var b strings.Builder
	for _, note := range p.notes() {
		b.WriteString(comment(note) + "\n")
	}
	for _, r := range p.first() {
		if r.login != nil {
			b.WriteString(curl(r.login, "login of "+r.Job))
		}
		if r.problem == "" {
			b.WriteString(curl(r, r.Job))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// comment returns a text as one line of shell comment.
func comment(text string) string {
	return "# " + textfmt.OneLine(text) + "\n"
}

// curl returns the command for a request, with the comments before it.
func curl(r *request, title string) string {
	c := &command{}
	words := []string{"curl --globoff --compressed"}
	if r.Method != "GET" {
		words[0] += " -X " + r.Method
	}
	words[0] += " " + c.quoted("SECRET", r.URL)
	hasBody := len(r.Body) > 0
	for _, h := range r.Headers {
		hasBody = hasBody || h.name == "Content-Length"
		if h.automatic {
			continue
		}
		text := append(pieces{{shown: h.name + ": "}}, h.text...)
		if len(h.text) == 0 {
			text = pieces{{shown: h.name + ";"}} // curl sends an empty header only with a semicolon
		}
		words = append(words, "-H "+c.quoted(variable(h.name), text))
	}
	if hasBody {
		words = append(words, "--data-raw "+c.quoted("SECRET", r.Body))
	}
	text := comment(title)
	for _, v := range c.variables {
		text += comment("$" + v.variable + ": " + v.what)
	}
	return text + strings.Join(words, " \\\n  ") + "\n\n"
}

// command collects the variables of a shell command.
type command struct{ variables []piece }

// quoted returns a text as one word of a shell. A computed secret becomes a variable that
// is named after the header, or SECRET.
func (c *command) quoted(header string, text pieces) string {
	var b strings.Builder
	plain := ""
	flush := func() {
		if plain != "" {
			b.WriteString("'" + strings.ReplaceAll(plain, "'", `'\''`) + "'")
		}
		plain = ""
	}
	for _, one := range text {
		if one.what == "" {
			plain += one.shown
			continue
		}
		flush()
		b.WriteString(`"$` + c.variable(header, one) + `"`)
	}
	flush()
	return cmp.Or(b.String(), "''")
}

// variable returns the name of the variable for a piece and adds the variable if it is
// new.
func (c *command) variable(header string, one piece) string {
	knows := func(name string) bool {
		return slices.ContainsFunc(c.variables, func(v piece) bool { return v.variable == name })
	}
	if one.variable == computed {
		one.variable = unique(header, knows)
	}
	if !knows(one.variable) {
		c.variables = append(c.variables, one)
	}
	return one.variable
}

// unique returns a name, with a number at its end if the name is used.
func unique(name string, used func(string) bool) string {
	first := name
	for n := 2; used(name); n++ {
		name = fmt.Sprintf("%s_%d", first, n)
	}
	return name
}
