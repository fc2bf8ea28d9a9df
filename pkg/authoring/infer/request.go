package infer

import (
	"fmt"
	"mime"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// readRequest reads the method and the parameters of the request.
func (d *configBuilder) readRequest() error {
	d.method = strings.ToUpper(d.x.Method)
	switch d.method {
	case http.MethodGet:
		if len(d.x.Body) > 0 {
			return failure.Userf("the example is a GET with a body, which the extractor cannot send")
		}
		d.params = d.pairs(d.url.RawQuery)
		return nil
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return d.readBody()
	default:
		return failure.Userf("the method of the example cannot be sent: expected one of GET, POST, PUT, PATCH, DELETE")
	}
}

func (d *configBuilder) readBody() error {
	if len(d.x.Body) == 0 {
		return nil
	}
	given := d.x.Header.Get("Content-Type")
	kind, _, _ := mime.ParseMediaType(given)
	// curl -d sends JSON as a form if no header is given, so the body counts.
	body, err := value.Parse(d.x.Body)
	isJSON := err == nil && (body.Kind() == value.Object || body.Kind() == value.Array)
	switch {
	case isJSON:
		if kind != "" && kind != "application/json" {
			d.note("The example sends its body with another Content-Type; the extractor sends JSON as application/json.")
		}
		if body.Kind() == value.Array {
			return failure.Userf("the body of the example is a list, and init infers only objects of parameters: start from a URL or --recipe, and write the request with \"body\"")
		}
		d.params = body.Members()
	case kind == "application/x-www-form-urlencoded" && d.method == http.MethodPost:
		d.method = "FORM"
		d.params = d.pairs(string(d.x.Body))
	default:
		return failure.Userf("init cannot infer parameters from the body of the example, which is neither a JSON object nor a form sent by POST: start from a URL or --recipe, and write the request with \"body\"")
	}
	return nil
}

// pairs returns the parameters of a query or a form, each name once with its last value,
// because the extractor cannot repeat a name. It adds a note for each repeated name.
func (d *configBuilder) pairs(query string) []value.Member {
	all := parseQuery(query)
	for i, m := range all {
		if slices.ContainsFunc(all[:i], func(before value.Member) bool { return before.Name == m.Name }) {
			d.note(fmt.Sprintf("The example has the parameter '%s' more than once; the extractor sends it once, with the last value.", m.Name))
		}
	}
	return value.OfMembers(all...).Members()
}

func parseQuery(query string) []value.Member {
	var members []value.Member
	for pair := range strings.SplitSeq(query, "&") {
		name, text, _ := strings.Cut(pair, "=")
		if name = php.URLDecode(name); name != "" {
			members = append(members, value.Member{Name: name, Value: value.OfString(php.URLDecode(text))})
		}
	}
	return members
}

func (d *configBuilder) param(name string) (value.Value, bool) {
	for _, m := range d.params {
		if m.Name == name {
			return m.Value, true
		}
	}
	return value.Value{}, false
}

// dropParams removes parameters from the job, because the scroller sends them.
func (d *configBuilder) dropParams(names ...string) {
	d.params = slices.DeleteFunc(slices.Clone(d.params), func(m value.Member) bool { return slices.Contains(names, m.Name) })
}

// versions matches segments of a path that all endpoints of an API share.
var versions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(v\d[\d.]*|api|rest|services|data|odata|\d+\.\d+)$`)
})

// splitAddress splits the URL into the base URL and the endpoint.
func (d *configBuilder) splitAddress() {
	origin := d.url.Scheme + "://" + d.url.Host
	segments := strings.Split(strings.TrimPrefix(d.url.EscapedPath(), "/"), "/")
	common := 0
	for i, segment := range segments[:len(segments)-1] {
		behindMark := common == i && i > 0 // a bare 3 in /rest/api/3/search is a version
		if versions().MatchString(segment) || behindMark && len(segment) == 1 && digits().MatchString(segment) {
			common = i + 1
		}
	}
	d.baseURL = strings.Join(append([]string{origin}, segments[:common]...), "/")
	d.endpoint = strings.Join(segments[common:], "/")
	switch {
	case strings.Contains(d.url.EscapedPath(), "//"), strings.Contains(segments[common], ":"):
		// An endpoint that begins with slashes or a scheme would be resolved as a URL.
		d.baseURL, d.endpoint = origin, origin+d.url.EscapedPath()
	case d.endpoint == "":
		d.endpoint = "/"
	}
	why := "the rest of the path, " + quote(d.endpoint) + ", is the endpoint"
	if common > 0 {
		why = "all endpoints probably begin like this; " + why
	}
	d.guess("base URL", pointer(config.APISection, config.BaseURL), d.replaceHidden(d.baseURL), likely, why)
	d.bucket = bucketOf(d.url.Hostname())
}

func quote(s string) string { return "'" + s + "'" }

// bucketOf returns the label of a host that names its owner, as the name of the bucket.
func bucketOf(host string) string {
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return "local"
	}
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(host), "."), ".")
	if len(labels) > 1 {
		labels = labels[:len(labels)-1]
	}
	generic := []string{"api", "www", "rest", "app", "data", "gateway", "co", "com", "org", "net", "ac", "gov"}
	for i := len(labels) - 1; i >= 0; i-- {
		if name := plainName(labels[i]); name != "" && !slices.Contains(generic, name) {
			return name
		}
	}
	return "api"
}

// plainName replaces all characters except ASCII letters and digits with _, and trims _
// at both ends.
func plainName(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

// identifier matches a segment of a path that is an id: a number or a long hexadecimal
// text.
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d+|[0-9a-fA-F-]{16,})$`)
})

// Words of paths, and of members that wrap the data of a response, that do not name the
// data.
var (
	genericPath = []string{"", "graphql", "search", "query", "list", "export", "all", "index"}
	genericData = []string{"", "data", "results", "result", "items", "nodes", "edges", "records", "rows", "values", "value", "response", "entries", "objects", "content", "embedded", "hits"}
)

// nameTable sets the name of the table: the last word of the path that names something.
// Otherwise, and in GraphQL, it is the last such word of the path to the data.
func (d *configBuilder) nameTable() {
	path, data := strings.Split(d.url.Path, "/"), d.data.keyPath
	for i, word := range path {
		path[i], _, _ = strings.Cut(word, ";")
	}
	path = slices.DeleteFunc(path, d.isHidden)
	d.Table = "data"
	name, ok := lastName(path, genericPath)
	if !ok || d.graphQL() {
		name, ok = lastName(data, genericData)
	}
	if ok {
		d.Table = name
	}
}

// lastName returns the last of the words that is not generic, a version or an id.
func lastName(words, generic []string) (string, bool) {
	for _, word := range slices.Backward(words) {
		for _, extension := range []string{".gz", ".zst", ".zip", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xml", ".php", ".aspx"} {
			word = strings.TrimSuffix(word, extension)
		}
		name := plainName(word)
		if !slices.Contains(generic, strings.ToLower(name)) && name != "" && !identifier().MatchString(word) && !versions().MatchString(word) {
			return name, true
		}
	}
	return "", false
}

func (d *configBuilder) graphQL() bool {
	query, _ := d.param("query")
	return d.method == "POST" && query.Kind() == value.String && strings.Contains(query.Raw(), "{") &&
		len(d.data.keyPath) > 0 && d.data.keyPath[0] == "data"
}
