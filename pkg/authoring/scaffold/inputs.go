package scaffold

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/authoring/dotenv"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/gallery"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// complete prompts for the missing values of an API's configuration and writes secrets to
// the file .env. report lists the written values and the values that are left to fill in.
func (b *exampleInit) complete(api gallery.API, config []byte) (completed []byte, report string, err error) {
	inputs := api.Inputs(config)
	if len(inputs) == 0 {
		return config, "", nil
	}
	if !b.Ask {
		return config, toFillIn(inputs), nil
	}
	file, err := dotenv.Open(dotenv.Name)
	if err != nil {
		return nil, "", err
	}
	if _, err := fmt.Fprintf(b.Stderr, "%s needs %s from you. docs/apis/%s.md describes where to get them. Press Enter to leave a value for later, or enter @FILE to read it from a file.\n",
		api.Title, textfmt.Count(len(inputs), "value"), api.Name); err != nil {
		return nil, "", err
	}
	var left []gallery.Input
	secrets := map[string]string{} // secrets by the name of their variable
	var names []string
	for _, input := range inputs {
		text, err := b.ask(api, input)
		switch {
		case err != nil:
			return nil, "", err
		case text == "":
			left = append(left, input)
		case input.IsSecret() && dotenv.Fits(text):
			name := b.unusedVariable(file, variableFor(api, input))
			names, secrets[expr.EnvPrefix+name] = append(names, expr.EnvPrefix+name), text
			config = input.ReplaceByVariable(config, name)
		default:
			config = input.Replace(config, text)
		}
	}
	if len(names) > 0 {
		if err := dotenv.Append(dotenv.Name, names, secrets); err != nil {
			return nil, "", err
		}
		report = fmt.Sprintf("Stored in the file %s of this directory, where runs find them: %s.\n", dotenv.Name, strings.Join(names, ", "))
		if file.Shared {
			report += fmt.Sprintf("Other users of this computer can read this file. Run: chmod 600 %s\n", dotenv.Name)
		}
	}
	return config, report + toFillIn(left), nil
}

// unusedVariable returns the name of a variable that neither the file nor the environment
// has. It adds a number to a used name, for another account. The environment counts
// because a run prefers it to the file.
func (b *exampleInit) unusedVariable(file *dotenv.File, name string) string {
	for numbered, n := name, 2; ; n++ {
		if _, taken := file.Values[expr.EnvPrefix+numbered]; !taken && b.Getenv(expr.EnvPrefix+numbered) == "" {
			return numbered
		}
		numbered = fmt.Sprintf("%s_%d", name, n)
	}
}

// toFillIn lists the values that the user has to fill in.
func toFillIn(inputs []gallery.Input) string {
	if len(inputs) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("Fill in before the first run:\n")
	for _, input := range inputs {
		if input.Attribute == "" {
			fmt.Fprintf(&text, "  %s, wherever it appears\n", input.Example)
		} else {
			fmt.Fprintf(&text, "  %s, instead of %s\n", input.Attribute, input.Example)
		}
	}
	return text.String()
}

// ask prompts for a value until the input is valid. It returns "" if the user wants to
// fill in the value later.
func (b *exampleInit) ask(api gallery.API, input gallery.Input) (string, error) {
	question := input.Attribute
	switch {
	case input.IsHost():
		question = "host"
	case question == "":
		question = "value"
	}
	question = fmt.Sprintf("  %s, instead of %s", question, input.Example)
	if input.IsSecret() {
		question += " (not shown)"
	}
	rejectedHost := "" // the host that the user entered before
	for {
		read := b.line
		if input.IsSecret() && b.ReadSecret != nil {
			read = b.ReadSecret
		}
		text, err := read(question + ": ")
		if err != nil {
			return "", err
		}
		text = strings.TrimSpace(text)
		if input.IsSecret() {
			b.secrets.Add(text)
		}
		if file, ok := strings.CutPrefix(text, "@"); ok {
			content, err := os.ReadFile(file)
			if err != nil {
				reason := err
				if failed, ok := errors.AsType[*fs.PathError](err); ok {
					reason = failed.Err // without the path, which may be a secret that begins with @
				}
				if _, err := fmt.Fprintf(b.Stderr, "  cannot read the file after @: %v\n", reason); err != nil {
					return "", err
				}
				continue
			}
			text = strings.TrimSpace(string(content))
			if input.IsSecret() {
				b.secrets.Add(text)
			}
		}
		if !input.IsHost() || text == "" {
			return text, nil
		}
		host, ok := hostOf(text, input.Example)
		problem := fmt.Sprintf("expected a host such as %s, or its first part", input.Example)
		switch {
		case !ok:
		case api.Has(host) || !api.Has(input.Example) || host == rejectedHost:
			return host, nil
		default: // such as the host of the web pages, or a server of the user
			problem = fmt.Sprintf("%s is not a host of this API, such as %s; enter it again to use it", host, input.Example)
			rejectedHost = host
		}
		if _, err := fmt.Fprintf(b.Stderr, "  %s\n", problem); err != nil {
			return "", err
		}
	}
}

func (b *exampleInit) line(question string) (string, error) {
	if _, err := io.WriteString(b.Stderr, question); err != nil {
		return "", err
	}
	return b.questions.line()
}

// hostName matches a host that can be written into a URL unchanged.
var hostName = regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:\d+)?$`)

// hostOf returns the host in the input. The input is a URL, a host, or the first label of
// a host like example.
func hostOf(text, example string) (string, bool) {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		text = u.Host
	}
	if _, rest, ok := strings.Cut(example, "."); ok && !strings.Contains(text, ".") {
		text += "." + rest
	}
	return text, hostName.MatchString(text)
}

// camel matches the boundary of two words in camel case.
var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// variableFor returns the name of the variable for a secret, such as
// ZENDESK_CLIENT_SECRET for #clientSecret of zendesk.
func variableFor(api gallery.API, input gallery.Input) string {
	name := api.Name + "_" + camel.ReplaceAllString(strings.TrimPrefix(input.Attribute, "#"), "${1}_${2}")
	return strings.ToUpper(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(name, "_"))
}
