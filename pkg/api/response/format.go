package response

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of a section `response`.
var (
	FormatSetting    = field.Text("format", "Format", "Format of the responses.").DefaultJSON(`"json"`).Example(`"csv"`).Also("type", "data_format")
	UnpackSetting    = field.Of("unpack", "Unpack", "How the body is packed as a file, the outermost layer first. A `Content-Encoding` is decoded before. The files in a `zip` are read one after another, in the order of their names.", &field.Type{Kinds: []string{"string", "array"}, Items: wrapperType, Pattern: field.NewPattern(`^(gzip|zip|zstd)?$`), Message: `expected "gzip", "zip", "zstd" or a list of them`}).Example(`"gzip"`, `["zip", "gzip"]`).Also("compression", "decompress")
	MemberSetting    = field.Text("member", "Members", "Which files of a `zip` to read, as a pattern: `*` matches any characters except a slash, `?` matches one of them. A pattern without a slash is compared with the last part of each name. Without `member`, all files are read.").Example(`"*.csv"`)
	EncodingSetting  = field.Text("encoding", "Character set", "The character set of the text, by its IANA name. A byte order mark has precedence. Without this key the `charset` of the header `Content-Type` counts, unless the text is UTF-8.").Example(`"windows-1250"`).Also("charset")
	DelimiterSetting = field.Text("delimiter", "Delimiter", "The character between two fields; `\\t` is a tab.").Typed(field.StrictText).Default(",").Example(`";"`, `"\\t"`).Also("separator")
	QuoteSetting     = field.Of("quote", "Quote", "The character around fields, which is doubled in a field; `false` for none.", &field.Type{Kinds: []string{"string", "boolean"}, Message: "expected one character, or false"}).DefaultJSON(`"\""`).Example(`"'"`, `false`).Also("enclosure", "quotechar")
	HeaderSetting    = field.Of("header", "Header", "The names of the columns: `true` reads them from the first record, a list contains them, and with `false` they are `column_1`, `column_2`, …", &field.Type{Kinds: []string{"boolean", "array"}, Items: field.TextType, Message: "expected true, false or a list of names"}).DefaultJSON(`true`).Example(`false`, `["id", "name"]`)
	SkipSetting      = field.Integer("skip", "Skip", "How many lines at the top are dropped first.").Default(0).Example(`2`)

	wrapperType = &field.Type{Kinds: []string{"string"}, Choices: []field.Choice{{Name: "gzip", AlsoCalled: []string{"gz"}}, {Name: "zip"}, {Name: "zstd", AlsoCalled: []string{"zst", "zstandard"}}}}
)

// Type returns the type of a section `response`.
func Type() *field.Type {
	t := &field.Type{Name: "response", Title: "Responses", Kinds: []string{"object"},
		Doc: "The format of the responses. Responses with a status of 400 or above are never read in this format."}
	format := *FormatSetting.Field
	format.Type = &field.Type{Kinds: []string{"string"}}
	var variants []field.Variant
	for _, d := range decoders() {
		variants = append(variants, field.Variant{Name: d.format, Settings: d.settings})
		format.Type.Choices = append(format.Type.Choices, field.Choice{Name: d.format, AlsoCalled: d.alsoCalled})
	}
	t.Fields = append([]*field.Field{&format, UnpackSetting.Field, MemberSetting.Field}, field.Union("Format", variants)...)
	return t
}

// Format is the format of responses. The zero Format is JSON.
type Format struct {
	// Name is the name of a decoder. "" is JSON.
	Name string
	// Accept is the value for the header Accept of requests.
	Accept string
	// Pointer is the JSON pointer of the section, or "".
	Pointer string

	whole  bool // see decoder.whole
	unpack []string
	member string
	// charset is the configured character set. Its name is "" if it is not configured.
	charset charset
	csv     csvFormat
}

// Plain reports whether the body is an unpacked JSON text.
func (f Format) Plain() bool { return f.Name == "" && len(f.unpack) == 0 }

// Compile compiles a section `response`. It adds problems to the section.
func Compile(s field.Section) Format {
	if !s.Present() {
		return Format{}
	}
	all := decoders()
	name := FormatSetting.Of(s)
	if name == "" {
		name = all[0].format
	}
	i := slices.IndexFunc(all, func(d decoder) bool { return d.format == name })
	if i < 0 {
		return Format{} // a problem already
	}
	d := all[i]
	f := Format{Accept: d.accept, Pointer: s.Pointer, whole: d.whole}
	if i > 0 {
		f.Name = d.format
	}
	foreign(s, all, d)
	if d.unread {
		for _, name := range []string{UnpackSetting.Name, MemberSetting.Name} {
			if packed := s.Get(name); packed.Present() {
				packed.Fault(failure.WrongValue, "expected no such key with the format "+failure.Text(strconv.Quote(d.format))+": each response is stored as it arrives", "remove the key, or read the contents in another format")
			}
		}
		return f
	}
	f.unpack = unpackOf(UnpackSetting.In(s))
	if len(f.unpack) > 0 {
		f.Accept = anything
	}
	f.member = memberOf(s, f.unpack)
	f.charset = charsetOf(EncodingSetting.In(s))
	f.csv = csvOf(s)
	return f
}

// anything is the header Accept for files, because files have many types.
const anything = "*/*"

// foreign reports settings of other formats.
func foreign(s field.Section, all []decoder, d decoder) {
	for _, m := range s.Value.Members() {
		var formats []string
		for _, other := range all {
			if slices.ContainsFunc(field.Fields(other.settings...), func(f *field.Field) bool { return f.Name == m.Name }) {
				formats = append(formats, other.format)
			}
		}
		if len(formats) > 0 && !slices.Contains(formats, d.format) {
			s.Get(m.Name).Fault(failure.WrongValue, "expected no such key with the format "+failure.Text(strconv.Quote(d.format))+": it is for "+field.List(formats), "remove the key, or change \"format\"")
		}
	}
}

// CheckDataField reports a path to items if every record of a response is an item.
func (f Format) CheckDataField(path Path, s field.Section) {
	if f.whole && path.Text != "" && path.Text != path.Separator {
		s.Problem("expected no path but "+failure.Part(strconv.Quote(path.Separator))+": in the format "+failure.Text(strconv.Quote(f.Name))+" every record of the response is an item", "remove the key")
	}
}

// CheckKeyAs reports `keyAs` if responses of the format are lists of records.
func (f Format) CheckKeyAs(s field.Section) {
	if f.whole && s.Present() {
		s.Problem("expected no such key: in the format "+failure.Text(strconv.Quote(f.Name))+" the response is a list of records, no object", "remove the key")
	}
}

// CheckParallel reports `parallel` if the format has no lists that could be parallel.
func (f Format) CheckParallel(s field.Section) {
	if s.Present() && f.Name != "" && f.Name != "jsonl" {
		s.Problem("expected no such key: it is for the formats \"json\" and \"jsonl\"", "remove the key")
	}
}

// csvOf compiles the settings of CSV.
func csvOf(s field.Section) csvFormat {
	f := csvFormat{header: true, quote: []byte(`"`), delimiter: character(DelimiterSetting.In(s), ","), delimited: DelimiterSetting.In(s).Present()}
	switch quote := QuoteSetting.In(s); quote.Value.Kind() {
	case value.Bool:
		if !quote.Value.True() {
			f.quote = nil
		}
	default:
		f.quote = character(quote, `"`)
	}
	if len(f.quote) > 0 && string(f.quote) == string(f.delimiter) {
		s.Get(QuoteSetting.Name).Problem("expected another character than the delimiter", "")
	}
	switch header := HeaderSetting.In(s); header.Value.Kind() {
	case value.Bool:
		f.header = header.Value.True()
	case value.Array:
		for _, item := range header.Items() {
			f.names = append(f.names, item.Value.Text())
		}
		switch n := len(f.names); {
		case n == 0:
			header.Problem("expected at least one name", "write false for columns without names")
		case n > maxColumns:
			header.Problem(failure.Text("expected at most "+strconv.Itoa(maxColumns)+" names"), "")
		}
	}
	if f.skip = SkipSetting.Of(s); f.skip < 0 {
		SkipSetting.In(s).Problem("expected a number of lines, at least 0", "")
	}
	return f
}

// character returns the single character of a setting.
func character(s field.Section, fallback string) []byte {
	text := s.Value.Text()
	switch {
	case text == "":
		text = fallback
	case text == `\t`:
		text = "\t"
	case utf8.RuneCountInString(text) != 1:
		s.Problem("expected one character", "")
		text = fallback
	case text == "\n", text == "\r":
		s.Problem("expected a character that ends no line", "")
		text = fallback
	}
	return []byte(text)
}
