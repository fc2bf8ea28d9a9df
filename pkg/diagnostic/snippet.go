package diagnostic

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/source"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/lint"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxWidth is the maximum number of characters of a shown line. A document may be a
// single long line.
const maxWidth = 100

// minSecretDigits is the minimum length of a number that may be a secret because of its
// key. Shorter numbers are limits and page numbers.
const minSecretDigits = 6

// contextBytes is the number of bytes to read on each side of the marked range. It is
// enough for maxWidth characters and limits the work for many findings in a long line.
const contextBytes = 4 * maxWidth

// snippet returns the line of a finding without indentation and secrets, and the marker
// for the line below.
func (r *Report) snippet(f Finding, secrets []source.Span) (line, marker string) {
	span := r.text.Line(f.Line)
	shown := r.text.Characters(source.Span{Start: max(span.Start, f.span.Start-contextBytes), End: min(span.End, f.span.End+contextBytes)})
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

// crop trims a line and shortens it around the marked range. moreBefore and moreAfter are
// true if the line continues before and after the text.
func crop(text string, start, end int, moreBefore, moreAfter bool) (line, marker string) {
	before, marked, after := runes(text[:start]), runes(text[start:end]), runes(text[end:])
	before = []rune(strings.TrimLeft(string(before), " "))
	after = []rune(strings.TrimRight(string(after), " "))
	if moreBefore || moreAfter || len(before)+len(marked)+len(after) > maxWidth {
		before = lastRunes(before, maxWidth/3, moreBefore)
		marked = firstRunes(marked, maxWidth/3, false)
		after = firstRunes(after, maxWidth/3, moreAfter)
	}
	return string(before) + string(marked) + string(after),
		strings.Repeat(" ", len(before)) + strings.Repeat("^", max(1, len(marked)))
}

// runes returns the characters of a text. Characters that are not printable become
// blanks.
func runes(text string) []rune { return []rune(textfmt.OneLine(text)) }

// firstRunes returns the first n characters. If there are more characters, the last of
// the n is an ellipsis.
func firstRunes(r []rune, n int, more bool) []rune {
	if len(r) <= n && !more {
		return r
	}
	return append(r[:min(n-1, len(r)):min(n-1, len(r))], '…')
}

// lastRunes returns the last n characters. If there are more characters, the first of the
// n is an ellipsis.
func lastRunes(r []rune, n int, more bool) []rune {
	if len(r) <= n && !more {
		return r
	}
	return append([]rune{'…'}, r[max(0, len(r)-n+1):]...)
}

// secrets returns the ranges of the valid part of the text that must be hidden, in order.
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

// hiddenIn returns the ranges within shown that must be hidden, in order. shown is a part
// of line.
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
		all = append(all, r.unparsedSecrets(line)...)
	}
	return mergeSpans(all)
}

// mergeSpans sorts ranges and merges ranges that overlap.
func mergeSpans(spans []source.Span) []source.Span {
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

// secretPart returns the range of a scalar that must be hidden: the whole scalar, or the
// query of a URL.
func (r *Report) secretPart(pointer string, span source.Span, text string) (source.Span, bool) {
	names := failure.PointerSplit(pointer)
	name := ""
	below := false // true if the path has a key with a hash sign
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
	case v.Kind() == value.Number && len(text) < minSecretDigits:
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

// mayBeSecret reports whether the value at a pointer may be a secret. A declared choice
// and the name of an algorithm are not secrets. Below `authentication` every undeclared
// value may be a secret.
func (r *Report) mayBeSecret(pointer string, v value.Value) bool {
	at, declared := schema.Default().Tree.At(pointer)
	switch {
	case declared && at.IsChoice(), r.isAlgorithm(pointer, v.Raw()):
		return false
	case !declared && slices.Contains(failure.PointerSplit(pointer), config.AuthenticationSection.Name):
		return true
	default:
		return secret.IsSecretPointer(pointer)
	}
}

// isAlgorithm reports whether the text at a pointer is the name of an algorithm, as the
// first argument of a function.
func (r *Report) isAlgorithm(pointer, text string) bool {
	call, ok := strings.CutSuffix(pointer, "/args/0")
	if !ok {
		return false
	}
	place, at, _ := r.text.Find(call + "/function")
	name, err := value.Parse([]byte(r.text.Slice(place.Value)))
	return err == nil && at == call+"/function" && expr.AllFunctions().Algorithm(name.Raw(), text)
}

// isExpressionKey reports whether a key of expressions has a name as its value. `env` is
// excluded: a user may write the value of the variable instead of its name.
func isExpressionKey(name string) bool {
	return name == "function" || name != string(expr.Env) && slices.Contains(expr.AllReferences().Keys(), name)
}

// assigned matches a value after a colon, in a text that is not JSON.
var assigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`:\s*("(?:[^"\\]|\\.)*"?|[^\s",{}\[\]]+)`)
})

// hashName matches a name with a hash sign, in a text that is not JSON.
var hashName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`#(?:[^"\\]|\\.)*"\s*:\s*|#`)
})

// secretAround returns the pointer up to a key with a hash sign, or "" without such a
// key. The rest of the pointer may be a secret that was parsed as a name.
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

// endsInSecret reports whether the text after the last token may be part of a secret.
// last is the pointer of the token.
func (r *Report) endsInSecret(last string) bool {
	if around := strings.LastIndexByte(last, '/'); around >= 0 && secret.IsSecretPointer(last[:around]) {
		return true
	}
	place, at, _ := r.text.Find(last)
	return secret.IsSecretPointer(last) && (at != last || !place.Scalar)
}

// unparsedSecrets returns the secrets in the part of a line that is not valid JSON. It
// hides every value with a name, everything below the name of a secret, and everything
// after a name with a hash sign.
func (r *Report) unparsedSecrets(line source.Span) []source.Span {
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
	if r.endsInSecret(pointer) {
		return []source.Span{{Start: from, End: line.End}}
	}
	var all []source.Span
	if m := hashName().FindStringIndex(rest); m != nil {
		all = append(all, source.Span{Start: from + m[1], End: line.End})
		rest = rest[:m[1]]
	}
	for _, m := range assigned().FindAllStringSubmatchIndex(rest, -1) {
		all = append(all, source.Span{Start: from + m[2], End: from + m[3]})
	}
	return all
}
