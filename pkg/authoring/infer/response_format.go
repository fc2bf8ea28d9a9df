package infer

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The formats to look for, by their names in a configuration.
const (
	jsonFormat  = "json"
	linesFormat = "jsonl"
	csvFormat   = "csv"
	xmlFormat   = "xml"
)

// parsedExample is the parsed response of the example and its format.
type parsedExample struct {
	// root is the root of the data. Paths of the configuration begin here.
	root   value.Value
	format string
	// settings are the settings of the section `response` that differ from the defaults.
	settings object
	// accept is the value of the header Accept that the extractor sends with settings.
	accept string
	// evidence explains the format.
	evidence []string
	certain  confidence // certainty of the format
	advice   []string
}

// reader reads a response with the decoders of package response.
type reader struct {
	parsedExample
	x       example.Exchange
	host    string
	scanner *response.Scanner
	spools  *response.Spooler
	// media is the media type in the header Content-Type. params are its parameters.
	media  string
	params map[string]string
	// text is the response, or the first file in it.
	text []byte
}

const (
	// maxUnpacked is the maximum size, in bytes, of an unpacked response.
	maxUnpacked = 32 << 20
	// inMemory is the size, in bytes, up to which a spool needs no file. It is larger
	// than any example.
	inMemory = 256 << 20
	// headBytes is the size, in bytes, of the beginning of a text from which the format
	// is detected.
	headBytes = 1 << 20
)

// read detects the format of the response and parses the response.
func read(x example.Exchange, u *url.URL) (parsedExample, error) {
	switch {
	case x.Status == 401 || x.Status == 403:
		return parsedExample{}, failure.Userf("%s returned status %d: it wants credentials, or other ones; give the request with them, e.g. --curl \"curl -H 'Authorization: Bearer TOKEN' ADDRESS\"", u.Host, x.Status)
	case x.Status/100 != 2:
		return parsedExample{}, failure.Userf("%s returned status %d, expected a successful response to learn from", u.Host, x.Status)
	case len(bytes.TrimSpace(bytes.TrimPrefix(x.Response, []byte(byteOrderMark)))) == 0:
		return parsedExample{}, failure.Userf("%s returned no body, expected data", u.Host)
	}
	// The hide function removes the beginning of the response from error messages,
	// because it may repeat a credential.
	hide := func(string) string { return "\x00" }
	r := &reader{parsedExample: parsedExample{certain: sure}, x: x, host: u.Host, scanner: response.NewScanner(hide), spools: response.NewSpooler("", inMemory)}
	if media, params, err := mime.ParseMediaType(x.ResponseHeader.Get("Content-Type")); err == nil {
		r.media, r.params = media, params
	}
	if err := r.read(u); err != nil {
		return parsedExample{}, err
	}
	if k := r.root.Kind(); k != value.Object && k != value.Array {
		return parsedExample{}, failure.Userf("%s returned a %s, expected an object or a list", r.host, k)
	}
	return r.parsedExample, nil
}

const byteOrderMark = "\ufeff"

func (r *reader) read(u *url.URL) error {
	first, err := r.unpack()
	if err != nil {
		return err
	}
	stated, by := r.declaredFormat(first.name, u)
	text := bytes.TrimPrefix(first.text, []byte(byteOrderMark))
	v, notJSON := value.Parse(text)
	r.text = first.text
	if other, ok, err := r.inOtherCharset(); err != nil {
		return err
	} else if ok {
		v, notJSON = other, nil
		if _, stated := r.charset(); !stated { // otherwise the run uses the charset of the header
			r.setEncoding()
			r.evidence = append(r.evidence, "its bytes are not UTF-8")
		}
	}
	if k := v.Kind(); notJSON == nil && (k == value.Object || k == value.Array || stated != csvFormat) && stated != linesFormat {
		r.format, r.root = jsonFormat, v
		r.accept = "application/json"
		if len(r.settings) > 0 {
			r.accept = r.compiled().Accept
		}
		return nil
	}
	head, err := r.head()
	if err != nil {
		return err
	}
	if err := r.detect(head, stated, by, notJSON); err != nil {
		return err
	}
	return r.items()
}

// inOtherCharset parses a text that is not UTF-8 as JSON in its character set. It returns
// false if the text is UTF-8 or is not JSON.
func (r *reader) inOtherCharset() (v value.Value, ok bool, err error) {
	charset, _ := r.charset()
	if charset == "" {
		return value.Value{}, false, nil
	}
	spool, err := r.spool(r.text)
	if err != nil {
		return value.Value{}, false, err
	}
	defer spool.Close() // the spool is in memory, so Close cannot fail
	text, _, err := spool.Text(compile(object{{Name: response.EncodingSetting.Name, Value: value.OfString(charset)}}))
	if err != nil {
		return value.Value{}, false, err
	}
	v, notJSON := value.Parse(text)
	return v, notJSON == nil && (v.Kind() == value.Object || v.Kind() == value.Array), nil
}

// detect sets the format, judging by the beginning of the text and the format that the
// response declares.
func (r *reader) detect(head, stated, by string, notJSON error) error {
	start := strings.TrimLeft(head, " \t\r\n")
	switch {
	case isHTML(start):
		return r.unknown("it is an HTML page")
	case strings.HasPrefix(start, "<"):
		r.setFormat(xmlFormat, "it begins like XML", stated, by)
		return nil
	case stated == linesFormat, areLines(start):
		r.setFormat(linesFormat, "each line is a JSON value", stated, by)
		r.setEncoding()
		return nil
	}
	if stated == csvFormat || start != "" && start[0] != '{' && start[0] != '[' {
		if c, ok := r.csv(cutAtRecord(head, csvHead), stated == csvFormat); ok {
			r.setFormat(csvFormat, "", stated, by)
			r.setEncoding()
			c.apply(r)
			return nil
		}
	}
	if notJSON == nil {
		return r.unknown("it is a single value")
	}
	return r.unknown(notJSON.Error())
}

// setFormat sets the format and its evidence. by is the evidence of the declared format.
// looks describes the body.
func (r *reader) setFormat(format, looks, stated, by string) {
	r.format = format
	r.settings = append(object{{Name: response.FormatSetting.Name, Value: value.OfString(format)}}, r.settings...)
	switch {
	case stated == format:
		r.evidence = append(r.evidence, by)
	case looks != "":
		r.evidence = append(r.evidence, looks)
	default:
		r.certain = likely
	}
}

// setEncoding sets the character set of a text that is not UTF-8.
func (r *reader) setEncoding() {
	charset, stated := r.charset()
	if charset == "" {
		return
	}
	r.settings.set(response.EncodingSetting.Name, value.OfString(charset))
	if stated {
		r.evidence = append(r.evidence, "the Content-Type names the character set "+charset)
		return
	}
	r.certain = unsure
	r.advice = append(r.advice, "The text is not UTF-8, and the response does not name its character set: "+charset+" is a guess. Check letters with accents in the table; in central Europe, windows-1250 is common.")
}

func (r *reader) unknown(why string) error {
	return failure.Userf("%s did not return JSON, JSON lines, CSV or XML (%s): %s", r.host, contentType(r.x), why)
}

// items reads the items with the detected settings.
func (r *reader) items() error {
	spool, err := r.spool(r.x.Response)
	if err != nil {
		return err
	}
	defer spool.Close() // the spool is in memory, so Close cannot fail
	format := r.compiled()
	r.accept = format.Accept
	q := response.Query{Format: format, MaxBytes: maxUnpacked}
	if r.format == xmlFormat {
		q.Data = response.Path{Text: ".", Separator: "."}
	}
	var all []value.Value
	page, err := r.scanner.Scan(spool, q)
	if err == nil {
		for item, failed := range page.Items() {
			if err = failed; err != nil {
				break
			}
			all = append(all, item.Value())
		}
	}
	switch {
	case err != nil:
		return r.userError(err)
	case r.format != xmlFormat:
		r.root = value.OfItems(all...)
	case len(all) == 0:
		return failure.Userf("%s returned an empty XML element, expected data", r.host)
	default:
		r.root = all[0]
	}
	return nil
}

func (r *reader) compiled() response.Format { return compile(r.settings) }

func compile(settings object) response.Format {
	var problems failure.Problems // finish validates the settings
	return response.Compile(field.NewSection(settings.value(), "", &problems))
}

// userError turns an error of reading the example into a user error.
func (r *reader) userError(err error) error {
	switch {
	case errors.Is(err, response.ErrLarge):
		return failure.Userf("the response of %s has more than %d MiB when it is unpacked; request less", r.host, maxUnpacked>>20)
	case err == io.EOF:
		return failure.Userf("%s returned an empty file, expected data", r.host)
	case failure.KindOf(err) != failure.User:
		return err
	default:
		return failure.Userf("the response of %s cannot be read: %w", r.host, err)
	}
}

func (r *reader) spool(text []byte) (*response.Spool, error) {
	spool := r.spools.New()
	if _, err := spool.Write(text); err != nil {
		return nil, err
	}
	return spool, nil
}

// charset returns the character set of the text, or "" if the text is UTF-8 or begins
// with a byte order mark. declared reports whether the response declares a character set
// that applies.
func (r *reader) charset() (name string, declared bool) {
	switch name = strings.ToLower(r.params["charset"]); {
	case utf8.Valid(r.text) && bytes.ContainsFunc(r.text, func(c rune) bool { return c >= utf8.RuneSelf }):
		return "", false // a run reads it as UTF-8, regardless of the header
	case name != "" && knownCharset(name):
		if name == "utf-8" || name == "utf8" || name == "us-ascii" {
			return "", true
		}
		return name, true
	case hasByteOrderMark(r.text), utf8.Valid(r.text):
		return "", false
	default:
		return usualCharset, false
	}
}

// head returns the beginning of the text in UTF-8.
func (r *reader) head() (string, error) {
	settings := object{{Name: response.FormatSetting.Name, Value: value.OfString("text")}}
	if charset, _ := r.charset(); charset != "" {
		settings.set(response.EncodingSetting.Name, value.OfString(charset))
	}
	spool, err := r.spool(r.text[:min(len(r.text), headBytes)])
	if err != nil {
		return "", err
	}
	defer spool.Close() // the spool is in memory, so Close cannot fail
	page, err := r.scanner.Scan(spool, response.Query{Format: compile(settings)})
	if err != nil {
		return "", r.userError(err)
	}
	for item, err := range page.Items() {
		return item.Value().Field("data").Raw(), err
	}
	return "", nil
}

// usualCharset is the most frequent character set of programs that do not write UTF-8.
const usualCharset = "windows-1252"

func knownCharset(name string) bool {
	var problems failure.Problems
	response.Compile(field.NewSection(value.OfMembers(
		value.Member{Name: response.FormatSetting.Name, Value: value.OfString("text")},
		value.Member{Name: response.EncodingSetting.Name, Value: value.OfString(name)}), "", &problems))
	return len(problems) == 0
}

// hasByteOrderMark reports whether a text begins with a byte order mark, which overrides
// any setting.
func hasByteOrderMark(text []byte) bool {
	return bytes.HasPrefix(text, []byte(byteOrderMark)) || bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}

func isHTML(text string) bool {
	start := strings.ToLower(text[:min(len(text), len("<!doctype html"))])
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

// areLines reports whether the first two lines of a text that are not blank are JSON
// objects or arrays.
func areLines(text string) bool {
	found := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		v, err := value.Parse([]byte(line))
		if k := v.Kind(); err != nil || k != value.Object && k != value.Array {
			return false
		}
		if found++; found == 2 {
			return true
		}
	}
	return false
}

// guessFormat adds the guess about the format, unless the response is plain JSON.
func (d *configBuilder) guessFormat() {
	if len(d.settings) > 0 {
		at := jobPointer(config.JobResponse)
		d.guess("format", at, d.settings.value(), d.certain, strings.Join(d.evidence, "; "))
	}
	d.Notes = append(d.Notes, d.advice...)
}
