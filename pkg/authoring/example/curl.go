package example

import (
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// FromCurl parses a curl command line as a shell would: quotes, line continuations, and
// variables from getenv. It ignores options that only change the output of curl. Other
// unknown options are user errors. Errors name the option and show no values.
func FromCurl(command string, getenv func(string) string) (Request, error) {
	words, err := words(command, getenv)
	if err != nil {
		return Request{}, err
	}
	if len(words) > 0 && words[0] == "$" {
		words = words[1:]
	}
	if len(words) == 0 || strings.TrimSuffix(path.Base(strings.ReplaceAll(words[0], `\`, "/")), ".exe") != "curl" {
		return Request{}, failure.Userf("expected a command that begins with curl")
	}
	var c curl
	flags := c.flags()
	if err := flags.Parse(words[1:]); err != nil {
		return Request{}, unknownOption(err)
	}
	return c.request(flags.Args())
}

// words splits a command line. An unset variable is a user error.
func words(command string, getenv func(string) string) ([]string, error) {
	var words []*syntax.Word
	missing := ""
	for word, err := range syntax.NewParser().WordsSeq(strings.NewReader(command)) {
		if err != nil {
			return nil, unreadable(err)
		}
		words = append(words, word)
		syntax.Walk(word, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && missing == "" && getenv(p.Param.Value) == "" {
				missing = p.Param.Value
			}
			return true
		})
	}
	if missing != "" {
		return nil, failure.Userf("the curl command uses the variable $%s, which is not set", missing)
	}
	fields, err := expand.Fields(&expand.Config{Env: expand.FuncEnviron(getenv)}, words...)
	if err != nil {
		return nil, unreadable(err)
	}
	return fields, nil
}

func unreadable(err error) error {
	return failure.Userf("the curl command is not valid for a shell: %s; put a URL with & in quotes", reason(err))
}

// reason returns why a shell would not accept the command. It does not return the text of
// err, because the text may have a secret.
func reason(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "quote"):
		return "a quote is not closed"
	case strings.Contains(text, "substitution"):
		return "commands in it are not run"
	default:
		return "it is not one simple command"
	}
}

// unknownOption returns the user error for an unknown option, without its value.
func unknownOption(err error) error {
	const supported = "supported are -X -H -d --data-raw --data-urlencode --json -G -u -b -A -e -k -L and options that only change what curl prints"
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := "--" + missing.GetSpecifiedName()
		if missing.GetSpecifiedShortnames() != "" {
			name = "-" + missing.GetSpecifiedName()
		}
		return failure.Userf("curl's option %s is not supported; %s", name, supported)
	}
	if required, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return failure.Userf("curl's option %s needs a value", required.GetSpecifiedName())
	}
	return failure.Userf("the options of the curl command are not supported; %s", supported)
}

// curl holds the values of the options.
type curl struct {
	method, user, agent, referer, url string
	headers, cookies, forms           []string
	data                              []datum
	get, insecure                     bool
}

// datum is an option with data for the body.
type datum struct{ option, text string }

func (c *curl) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("curl", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.StringVarP(&c.method, "request", "X", "", "")
	f.StringArrayVarP(&c.headers, "header", "H", nil, "")
	f.StringArrayVarP(&c.cookies, "cookie", "b", nil, "")
	f.StringArrayVarP(&c.forms, "form", "F", nil, "")
	f.StringVarP(&c.user, "user", "u", "", "")
	f.StringVarP(&c.agent, "user-agent", "A", "", "")
	f.StringVarP(&c.referer, "referer", "e", "", "")
	f.StringVar(&c.url, "url", "", "")
	f.BoolVarP(&c.get, "get", "G", false, "")
	f.BoolVarP(&c.insecure, "insecure", "k", false, "")
	for option, short := range map[string]string{"data": "d", "data-raw": "", "data-ascii": "", "data-binary": "", "data-urlencode": "", "json": ""} {
		f.FuncP(option, short, "", func(text string) error {
			c.data = append(c.data, datum{option, text})
			return nil
		})
	}
	for long, short := range map[string]string{
		"compressed": "", "location": "L", "silent": "s", "show-error": "S", "verbose": "v", "include": "i", "fail": "f",
		"globoff": "g", "no-buffer": "N", "progress-bar": "#", "http1.1": "", "http2": "", "ipv4": "4", "ipv6": "6",
		"no-progress-meter": "", "fail-with-body": "", "path-as-is": "", "basic": "",
	} {
		f.BoolP(long, short, false, "")
	}
	for long, short := range map[string]string{"output": "o", "write-out": "w", "max-time": "m", "connect-timeout": "", "retry": ""} {
		f.StringP(long, short, "", "")
	}
	return f
}

func (c *curl) request(addresses []string) (Request, error) {
	if c.url != "" {
		addresses = append(addresses, c.url)
	}
	switch {
	case len(addresses) != 1:
		return Request{}, failure.Userf("expected one URL in the curl command, found %d", len(addresses))
	case len(c.forms) > 0:
		return Request{}, failure.Userf("curl's option -F sends a multipart form, which the extractor cannot send")
	}
	address := addresses[0]
	if !strings.Contains(address, "://") {
		address = "http://" + address // curl's default scheme
	}
	u, err := parseAddress(address)
	if err != nil {
		return Request{}, err
	}
	r := Request{Header: http.Header{}, Insecure: c.insecure}
	body, err := c.body()
	if err != nil {
		return Request{}, err
	}
	switch {
	case c.get && body != "":
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+body, "&")
	case len(c.data) > 0 && !c.get:
		r.Body, r.Method = []byte(body), http.MethodPost
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if slices.ContainsFunc(c.data, func(d datum) bool { return d.option == "json" }) {
		r.Header.Set("Content-Type", "application/json")
	}
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	if c.method != "" {
		r.Method = strings.ToUpper(c.method)
	}
	u.Fragment, u.RawFragment = "", ""
	r.URL = u.String()
	return r, c.head(r.Header)
}

// body joins the data as curl does.
func (c *curl) body() (string, error) {
	var b strings.Builder
	for i, d := range c.data {
		text := d.text
		if strings.HasPrefix(text, "@") && d.option != "data-raw" {
			return "", failure.Userf("curl's option --%s names a file, which is not read: write its content instead", d.option)
		}
		if d.option == "data-urlencode" {
			name, content, named := strings.Cut(text, "=")
			switch {
			case !named && strings.Contains(text, "@"):
				return "", failure.Userf("curl's option --data-urlencode names a file, which is not read: write its content instead")
			case !named:
				text = url.QueryEscape(text)
			case name == "":
				text = url.QueryEscape(content)
			default:
				text = name + "=" + url.QueryEscape(content)
			}
		}
		if i > 0 && d.option != "json" {
			b.WriteByte('&')
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (c *curl) head(h http.Header) error {
	if c.agent != "" {
		h.Set("User-Agent", c.agent)
	}
	if c.referer != "" {
		h.Set("Referer", c.referer)
	}
	for _, cookie := range c.cookies {
		if !strings.Contains(cookie, "=") {
			return failure.Userf("curl's option -b names a file, which is not read: write the cookies instead, as name=value")
		}
		h.Set("Cookie", strings.TrimPrefix(h.Get("Cookie")+"; "+cookie, "; "))
	}
	if c.user != "" {
		if !strings.Contains(c.user, ":") {
			return failure.Userf("curl's option -u has no password: write it as user:password, with nothing after the colon if there is none")
		}
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.user)))
	}
	given := http.Header{}
	for _, line := range c.headers {
		name, text, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); name == "" || strings.HasPrefix(line, "@") {
			return failure.Userf("curl's option -H needs a header like 'Name: value'")
		}
		if text = strings.TrimSpace(text); ok && text != "" {
			given.Add(name, text)
		}
	}
	maps.Copy(h, given)
	return nil
}
