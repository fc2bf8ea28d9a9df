package response

import (
	"bytes"
	"slices"
	"strings"
)

// form is the meaning of a member's name for pagination. Services spell the same name in
// different ways, so names are compared by their letters and words: next_page, nextPage
// and @odata.nextPage have the same form.
type form struct {
	kind IndicatorKind // 0 if the name has no form
	// weak is set for names that also occur in data, such as `next` and `last`. The value
	// and the objects around it decide.
	weak bool
	// grouped is set for names that count only in an object about pagination.
	grouped bool
	// text is set for names that count only directly beside the data, and only if the
	// value is a string.
	text bool
	// flag is set for names that count only if the value is true or false.
	flag bool
}

// maxForm is the maximum number of letters of a name with a form.
const maxForm = 40

// forms maps the letters of names to their forms. nextForm has the names that begin with
// `next`.
var forms = func() map[string]form {
	all := map[string]form{}
	for _, row := range []struct {
		form  form
		names string
	}{
		{form{kind: NextPage}, "continuation continuationtoken continuationkey"},
		{form{kind: NextPage, weak: true, grouped: true}, "startingafter continue"},
		{form{kind: NextPage, weak: true, text: true}, "offset"}, // a number would repeat the request
		{form{kind: MorePages}, "hasmore hasnext hasnextpage hasnextpages hasnextlink hasnextcursor " +
			"hasmorepage hasmorepages hasmoreresults hasmorerecords hasmoreitems hasmoredata hasmorerows hasmoreentries " +
			"moreitemsincollection morerecords moreresults moreitems morepages moredata moreavailable"},
		{form{kind: MorePages, weak: true, flag: true}, "more"},
		{form{kind: MorePages, flag: true}, "istruncated truncated exceededtransferlimit ismoreavailable"},
		{form{kind: LastPage}, "islast islastpage endofstream endofrecords endofresults endoflist"},
		{form{kind: LastPage, flag: true}, "lastpage"},
		{form{kind: LastPage, weak: true, flag: true}, "last"},
		{form{kind: TotalRows}, "totalcount totalresults totalrecords totalitems totalrows totalhits totalelements totalentries totalfound numfound"},
		{form{kind: TotalRows, weak: true}, "total"},
	} {
		for name := range strings.FieldsSeq(row.names) {
			all[name] = row.form
		}
	}
	return all
}()

// formOf returns the form of a name.
//
// To add a name, add its letters to forms; a new first letter also belongs in firstLetters.
// Add the name to members_test.go, a service that sends it to
// tests/functional/services_test.go, and the name to the table in
// docs/understand/faults.md, which a test reads.
func formOf(name []byte) form {
	var buf [maxForm]byte
	letters, ok := lettersOf(buf[:0:maxForm], name)
	if !ok {
		return form{}
	}
	if f, ok := forms[string(letters)]; ok {
		return f
	}
	if string(letters) == "count" && (string(name) == "@odata.count" || string(name) == "odata.count" || string(name) == "__count") {
		return form{kind: TotalRows} // any other count may count the rows of the page
	}
	return nextForm(letters)
}

// lettersOf appends the letters of a name in lower case, without the prefix of a
// vocabulary such as `@odata.` or `hydra:`. ok is false if the name cannot have a form.
func lettersOf(dst, name []byte) (_ []byte, ok bool) {
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z':
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c == '_' || c == '-' || c == '@' || c == '$' || c == ' ':
			continue
		case c == '.' || c == ':':
			dst = dst[:0]
			continue
		default:
			return dst, false
		}
		if len(dst) == maxForm || len(dst) == 0 && strings.IndexByte(firstLetters, c) < 0 {
			return dst, false // true for most names
		}
		dst = append(dst, c)
	}
	return dst, len(dst) > 0
}

// firstLetters are the letters with which a name with a form, or the name of an object
// about pagination, can begin.
const firstLetters = "acehilmnoprstv"

// nextForm returns the form of names that begin with `next`. They lead to the next page.
func nextForm(letters []byte) form {
	rest, ok := bytes.CutPrefix(letters, []byte("next"))
	strong, words := wordsOf(rest, "page", "cursor", "link", "url", "uri", "href", "token", "marker", "continuation")
	if !ok || !words {
		return form{}
	}
	return form{kind: NextPage, weak: !strong}
}

// wordsOf reports whether letters consist only of words of pagination, and whether one of
// them is a strong word.
func wordsOf(letters []byte, strongWords ...string) (strong, ok bool) {
	others := []string{"offset", "start", "after", "skip", "key", "number", "records", "results", "path"}
	for len(letters) > 0 {
		begins := func(word string) bool { return bytes.HasPrefix(letters, []byte(word)) }
		if at := slices.IndexFunc(strongWords, begins); at >= 0 {
			strong = true
			letters = letters[len(strongWords[at]):]
		} else if at := slices.IndexFunc(others, begins); at >= 0 {
			letters = letters[len(others[at]):]
		} else {
			return false, false
		}
	}
	return strong, true
}

// AboutPages reports whether APIs put indicators into objects with this name.
func AboutPages(name []byte) bool {
	var buf [maxForm]byte
	letters, ok := lettersOf(buf[:0:maxForm], name)
	return ok && (pageObjects[string(letters)] ||
		slices.ContainsFunc([]string{"paging", "paginat", "pageinfo", "pagecontext", "metadata"}, func(part string) bool { return bytes.Contains(letters, []byte(part)) }))
}

var (
	// pageObjects are the letters of the names of objects about pagination.
	pageObjects = setOf("link links page pages pager meta cursor cursors info resultinfo additionaldata navigation nav view continue")
	// requestObjects are the names of objects that repeat the parameters of the request.
	requestObjects = setOf("request query params parameters filter filters args arguments input")
	// nextMembers are the members of an object `next` that lead to the next page.
	nextMembers = setOf("href url uri link path after cursor token page offset start starting_after startingAfter")
	// moneyMembers show that a total beside them is an amount of money.
	moneyMembers = setOf("currency Currency currency_code currencyCode amount Amount subtotal sub_total subTotal Subtotal SubTotal " +
		"tax Tax taxes tax_total taxTotal total_tax totalTax TotalTax vat")
)

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// TruncatesList reports whether a member with this name shows, by the value true, that a
// list beside it is incomplete.
func TruncatesList(name []byte) bool {
	if len(name) < len("hasMore") {
		return false
	}
	f := formOf(name)
	return f.kind == MorePages && !f.flag
}
