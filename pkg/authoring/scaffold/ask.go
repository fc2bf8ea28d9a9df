package scaffold

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/authoring/propose"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/prose"
)

// questions asks on out and reads answers from in, one line each.
type questions struct {
	in    io.Reader
	out   io.Writer
	lines *bufio.Reader // over in, from the first question on
}

// ask shows options and returns the index of the chosen one. The answer is a number, a
// name, or an empty line for the first. The end of the input is a user error.
func (q *questions) ask(question string, options []propose.Option) (int, error) {
	if q.lines == nil {
		q.lines = bufio.NewReader(q.in)
	}
	var text strings.Builder
	fmt.Fprintln(&text, question)
	for i, o := range options {
		fmt.Fprintf(&text, "  %d) %s: %s\n", i+1, prose.Printable(o.Name), prose.Printable(o.Evidence))
	}
	text.WriteString("A number, or Enter for 1: ")
	for {
		if _, err := io.WriteString(q.out, text.String()); err != nil {
			return 0, err
		}
		line, err := q.lines.ReadString('\n')
		if err != nil && strings.TrimSpace(line) == "" {
			return 0, failure.Userf("the question was not answered; with --yes the guesses are taken")
		}
		line = strings.TrimSpace(line)
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
