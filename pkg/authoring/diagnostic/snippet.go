package diagnostic

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/authoring/lint"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// widest is how many characters of a line are shown; a document may be one line.
const widest = 100

// shortestSecret is the number of digits from which a number may be a secret because of
// its key. Shorter ones are limits and page numbers.
const shortestSecret = 6

// around is how many bytes on each side of the marked part are read: enough for the
// characters that are shown. It limits the work for many findings in a long line.
const around = 4 * widest

// snippet returns the line of a finding, without indentation and secrets, and the
// marker below it.
func (r *Report) snippet(f Finding, secrets []source.Span) (line, marker string) {
	span := r.text.Line(f.Line)
	shown := r.text.Characters(source.Span{Start: max(span.Start, f.span.Start-around), End: min(span.End, f.span.End+around)})
	var b strings.Builder
	start, end := -1, -1
	at := shown.Start
	copyTo := func(to int) {
		for _, stop := range []int{min(f.span.Start, to), min(f.span.End, to), to} {
			if at < stop {
				b.WriteString(r.text.Slice(source.Span{Start: at, End: stop}))
				at = stop
			}
			if at >= f.span.Start && start < 0 {
				start = b.Len()
			}
			if at >= f.span.End && end < 0 {
				end = b.Len()
			}
		}
	}
	for _, part := range r.hiddenIn(span, shown, secrets) {
		copyTo(min(part.Start, shown.End))
		if at >= min(part.End, shown.End) {
			continue
		}
		if f.span.Start < part.End && start < 0 {
			start = b.Len()
		}
		b.WriteString(secret.Hidden)
		at = min(part.End, shown.End)
		if f.span.End <= part.End && f.span.End > part.Start && end < 0 {
			end = b.Len()
		}
	}
	copyTo(shown.End)
	if start < 0 {
		start = b.Len()
	}
	if end < start {
		end = b.Len()
	}
	return crop(b.String(), start, end, shown.Start > span.Start, shown.End < span.End)
}

// crop trims a line and shortens it around the marked part. moreBefore and moreAfter say
// that the line continues beyond the text.
func crop(text string, start, end int, moreBefore, moreAfter bool) (line, marker string) {
	before, marked, after := runes(text[:start]), runes(text[start:end]), runes(text[end:])
	before = []rune(strings.TrimLeft(string(before), " "))
	after = []rune(strings.TrimRight(string(after), " "))
	if moreBefore || moreAfter || len(before)+len(marked)+len(after) > widest {
		before = lastRunes(before, widest/3, moreBefore)
		marked = firstRunes(marked, widest/3, false)
		after = firstRunes(after, widest/3, moreAfter)
	}
	return string(before) + string(marked) + string(after),
		strings.Repeat(" ", len(before)) + strings.Repeat("^", max(1, len(marked)))
}

// runes returns the characters of a text, with blanks for those that are not printable.
func runes(text string) []rune { return []rune(textfmt.OneLine(text)) }

// firstRunes returns at most n characters; the last is an ellipsis if there are more.
func firstRunes(r []rune, n int, more bool) []rune {
	if len(r) <= n && !more {
		return r
	}
	return append(r[:min(n-1, len(r)):min(n-1, len(r))], '…')
}

// lastRunes returns at most n characters; the first is an ellipsis if there are more.
func lastRunes(r []rune, n int, more bool) []rune {
	if len(r) <= n && !more {
		return r
	}
	return append([]rune{'…'}, r[max(0, len(r)-n+1):]...)
}

// secrets returns the parts of the valid text that must not be shown, in order.
func (r *Report) secrets() []source.Span {
	var all []source.Span
	for _, scalar := range r.text.Scalars() {
		text := r.text.Slice(scalar.Span)
		hidden, ok := r.secretPart(scalar.Pointer, scalar.Span, text)
		if ok {
			text = text[:hidden.Start-scalar.Span.Start] + text[hidden.End-scalar.Span.Start:]
		}
		if v, err := value.Parse([]byte(text)); err == nil && len(r.known.MaskedSpans(v.Raw())) > 0 {
			hidden, ok = scalar.Span, true
		}
		if ok {
			all = append(all, hidden)
		}
	}
	return all
}

// hiddenIn returns the parts of shown, which is in line, that must be hidden, in order.
func (r *Report) hiddenIn(line, shown source.Span, secrets []source.Span) []source.Span {
	first := sort.Search(len(secrets), func(i int) bool { return secrets[i].End > shown.Start })
	var all []source.Span
	for _, s := range secrets[first:] {
		if s.Start >= shown.End {
			break
		}
		all = append(all, s)
	}
	if r.broken {
		all = append(all, r.unread(line)...)
	}
	return merged(all)
}

// merged sorts parts of a text and merges those that overlap.
func merged(spans []source.Span) []source.Span {
	slices.SortFunc(spans, func(a, b source.Span) int { return a.Start - b.Start })
	var all []source.Span
	for _, s := range spans {
		if last := len(all) - 1; last >= 0 && s.Start < all[last].End {
			all[last].End = max(all[last].End, s.End)
			continue
		}
		all = append(all, s)
	}
	return all
}

// secretPart returns the part of a scalar that must not be shown: all of it, or the
// query of an address.
func (r *Report) secretPart(pointer string, span source.Span, text string) (source.Span, bool) {
	names := failure.PointerSplit(pointer)
	name := ""
	below := false // a key with a hash sign
	for _, token := range names {
		name = token
		below = below || strings.HasPrefix(token, "#")
	}
	v, err := value.Parse([]byte(text))
	switch {
	case err != nil:
		return span, true
	case below, name == "value" && strings.HasPrefix(pointer, "/"+config.VariableValuesData.Name+"/"):
		return span, true
	case v.Kind() == value.Number && len(text) < shortestSecret:
		return source.Span{}, false
	case v.Kind() == value.Null || v.Kind() == value.Bool || v.Kind() == value.String && v.Raw() == "":
		return source.Span{}, false
	case lint.PlainSecret(name, v):
		return span, true
	case r.mayBeSecret(pointer, v) && !isExpressionKey(name):
		return span, true
	case strings.Contains(text, "://") && strings.Contains(text, "@"):
		return span, true
	}
	if query := strings.IndexByte(text, '?'); query >= 0 && strings.Contains(text[query:], "=") {
		return source.Span{Start: span.Start + query + 1, End: span.End - 1}, true
	}
	return source.Span{}, false
}

// mayBeSecret reports whether the value at a pointer may be a secret. A declared choice and
// the name of an algorithm are no secrets. Below `authentication` every undeclared value may
// be one.
func (r *Report) mayBeSecret(pointer string, v value.Value) bool {
	at, declared := schema.Default().Tree.At(pointer)
	switch {
	case declared && at.IsChoice(), r.algorithm(pointer, v.Raw()):
		return false
	case !declared && slices.Contains(failure.PointerSplit(pointer), config.AuthenticationSection.Name):
		return true
	default:
		return secret.IsSecretPointer(pointer)
	}
}

// algorithm reports whether the text at a pointer is the name of an algorithm, as the first
// argument of a function.
func (r *Report) algorithm(pointer, text string) bool {
	call, ok := strings.CutSuffix(pointer, "/args/0")
	if !ok {
		return false
	}
	place, at, _ := r.text.Find(call + "/function")
	name, err := value.Parse([]byte(r.text.Slice(place.Value)))
	return err == nil && at == call+"/function" && expr.AllFunctions().Algorithm(name.Raw(), text)
}

// isExpressionKey reports whether a name is a key of expressions, whose values are
// names. That of a variable may be one that was mistaken for its value.
func isExpressionKey(name string) bool {
	return name == "function" || name != string(expr.Env) && slices.Contains(expr.AllReferences().Keys(), name)
}

// assigned matches a value after a colon in a text that is not JSON.
var assigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`:\s*("(?:[^"\\]|\\.)*"?|[^\s",{}\[\]]+)`)
})

// marked matches a name with a hash sign in a text that is not JSON.
var marked = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`#(?:[^"\\]|\\.)*"\s*:\s*|#`)
})

// secretAround returns the part of a pointer up to a key with a hash sign, "" without
// one. The rest may be a secret that was read as a name.
func secretAround(pointer string) string {
	at := strings.Index(pointer, "/#")
	if at < 0 {
		return ""
	}
	end := strings.IndexByte(pointer[at+1:], '/')
	if end < 0 {
		return pointer
	}
	return pointer[:at+1+end]
}

// withinSecret reports whether the text after the last token may be part of a secret.
func (r *Report) withinSecret(last string) bool {
	if around := strings.LastIndexByte(last, '/'); around >= 0 && secret.IsSecretPointer(last[:around]) {
		return true
	}
	place, at, _ := r.text.Find(last)
	return secret.IsSecretPointer(last) && (at != last || !place.Scalar)
}

// unread returns the secrets in the part of a line that is not valid JSON: every value
// with a name, everything below the name of a secret, and everything from a value whose
// name has a hash sign.
func (r *Report) unread(line source.Span) []source.Span {
	from, pointer := r.text.End()
	if secret := secretAround(pointer); secret != "" {
		if place, at, ok := r.text.Find(secret); ok && at == secret {
			from = min(from, place.Value.Start)
		}
		return []source.Span{{Start: max(from, line.Start), End: line.End}}
	}
	from = max(from, line.Start)
	if from >= line.End {
		return nil
	}
	rest := r.text.Slice(source.Span{Start: from, End: line.End})
	if r.withinSecret(pointer) {
		return []source.Span{{Start: from, End: line.End}}
	}
	var all []source.Span
	if m := marked().FindStringIndex(rest); m != nil {
		all = append(all, source.Span{Start: from + m[1], End: line.End})
		rest = rest[:m[1]]
	}
	for _, m := range assigned().FindAllStringSubmatchIndex(rest, -1) {
		all = append(all, source.Span{Start: from + m[2], End: from + m[3]})
	}
	return all
}
