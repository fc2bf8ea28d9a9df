package scaffold

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/authoring/infer"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// questions writes questions to out and reads one line for each from in.
type questions struct {
	in  io.Reader
	out io.Writer
}

// ask shows options and returns the index of the chosen option. The user enters a number,
// a name, or an empty line for the first option. The end of the input is a user error.
func (q *questions) ask(question string, options []infer.Option) (int, error) {
	var text strings.Builder
	fmt.Fprintln(&text, question)
	for i, o := range options {
		fmt.Fprintf(&text, "  %d) %s: %s\n", i+1, textfmt.Printable(o.Name), textfmt.Printable(o.Evidence))
	}
	text.WriteString("Enter a number, or press Enter for 1: ")
	for {
		if _, err := io.WriteString(q.out, text.String()); err != nil {
			return 0, err
		}
		line, err := q.line()
		if err != nil {
			return 0, err
		}
		if line == "" {
			return 0, nil
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(options) {
			return n - 1, nil
		}
		for i, o := range options {
			if o.Name == line {
				return i, nil
			}
		}
		text.Reset()
		fmt.Fprintf(&text, "Expected a number from 1 to %d: ", len(options))
	}
}

// line reads a line of input. It reads no byte after the line, because another reader may
// continue.
func (q *questions) line() (string, error) {
	var line []byte
	for next := make([]byte, 1); ; {
		n, err := q.in.Read(next)
		if n > 0 && next[0] != '\n' {
			line = append(line, next[0])
		}
		if n > 0 && next[0] == '\n' || err != nil {
			text := strings.TrimSpace(string(line))
			if err != nil && text == "" {
				return "", failure.Userf("the question was not answered; use --yes to accept all guesses")
			}
			return text, nil
		}
	}
}
