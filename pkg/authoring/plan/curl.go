package plan

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// WriteCurl writes the requests of the first iteration as shell commands. Masked parts
// are shell variables. A comment explains each variable.
func (p *Preview) WriteCurl(w io.Writer) error {
	var b strings.Builder
	for _, note := range p.notes() {
		b.WriteString(comment(note) + "\n")
	}
	for _, d := range p.first() {
		if d.Login != nil {
			b.WriteString(p.command(d, d.Login, "login of "))
		}
		if d.Request != nil {
			b.WriteString(p.command(d, d.Request, ""))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// comment returns a text as one line of shell comment.
func comment(text string) string {
	return "# " + textfmt.OneLine(text) + "\n"
}

// command returns a command with the comments before it.
func (p *Preview) command(d engine.PlannedRequest, r *httpclient.Outgoing, what string) string {
	c := &command{}
	words := []string{"curl --globoff --compressed"}
	if r.Method != "GET" {
		words[0] += " -X " + r.Method
	}
	words[0] += " " + c.quoted("SECRET", p.address(r))
	u, err := url.Parse(r.URL)
	for _, h := range r.Headers {
		if h.Name == "Content-Length" || h.Name == "Host" && err == nil && h.Text == u.Host {
			continue // curl sets these headers itself
		}
		pieces := append([]piece{{shown: h.Name + ": "}}, p.header(r, h)...)
		if h.Text == "" {
			pieces = []piece{{shown: h.Name + ";"}} // curl sends an empty header only with a semicolon
		}
		words = append(words, "-H "+c.quoted(variable(h.Name), pieces))
	}
	if len(r.Body) > 0 || slices.ContainsFunc(r.Headers, func(h httpclient.Line) bool { return h.Name == "Content-Length" }) {
		words = append(words, "--data-raw "+c.quoted("SECRET", p.body(r)))
	}
	text := comment(what + p.mask.text(d.Job))
	for _, v := range c.variables {
		text += comment("$" + v.name + ": " + p.mask.text(v.what))
	}
	return text + strings.Join(words, " \\\n  ") + "\n\n"
}

// command collects the variables of a shell command.
type command struct{ variables []shellVariable }

type shellVariable struct{ name, what string }

// quoted returns a text as one word of a shell. A computed secret becomes a variable that
// is named after the header, or SECRET.
func (c *command) quoted(header string, pieces []piece) string {
	var b strings.Builder
	plain := ""
	flush := func() {
		if plain != "" {
			b.WriteString("'" + strings.ReplaceAll(plain, "'", `'\''`) + "'")
		}
		plain = ""
	}
	for _, one := range pieces {
		if !one.masked {
			plain += one.shown
			continue
		}
		flush()
		b.WriteString(`"$` + c.variable(header, one) + `"`)
	}
	flush()
	if b.Len() == 0 {
		return "''"
	}
	return b.String()
}

// variable returns the name of the variable for a piece and adds the variable if it is
// new.
func (c *command) variable(header string, one piece) string {
	name := one.variable
	if name == computed {
		name = header
		for n := 2; c.knows(name); n++ {
			name = fmt.Sprintf("%s_%d", header, n)
		}
	}
	if !c.knows(name) {
		c.variables = append(c.variables, shellVariable{name, one.what})
	}
	return name
}

func (c *command) knows(name string) bool {
	return slices.ContainsFunc(c.variables, func(v shellVariable) bool { return v.name == name })
}
