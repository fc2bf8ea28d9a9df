package response

import (
	"bytes"
	"slices"
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

// formOf returns the form of a name.
//
// To add a name, add its letters to the function of its first letter below; a new first
// letter also belongs in firstLetters. Add the name to members_test.go, a service that
// sends it to tests/functional/services_test.go, and the name to the table in
// docs/understand/faults.md, which a test reads.
func formOf(name []byte) form {
	var buf [maxForm]byte
	letters, ok := lettersOf(buf[:0:maxForm], name)
	if !ok {
		return form{}
	}
	switch letters[0] {
	case 'n':
		return nextForm(letters)
	case 'h', 'm':
		return moreForm(letters)
	case 'i', 'l', 'e':
		return lastForm(letters)
	case 't':
		return totalForm(letters)
	case 's', 'c', 'o':
		if string(letters) == "count" && (string(name) == "@odata.count" || string(name) == "odata.count" || string(name) == "__count") {
			return form{kind: TotalRows} // any other count may count the rows of the page
		}
		return tokenForm(letters)
	default:
		return form{}
	}
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
		if len(dst) == maxForm || len(dst) == 0 && !beginsForm(c) {
			return dst, false // true for most names
		}
		dst = append(dst, c)
	}
	return dst, len(dst) > 0
}

// beginsForm reports whether a name with a form, or an object about pagination, can begin
// with the letter.
func beginsForm(letter byte) bool { return firstLetters&(1<<(letter-'a')) != 0 }

// firstLetters is a bit set of letters. Bit 0 is 'a'.
const firstLetters = 1 | 1<<('c'-'a') | 1<<('e'-'a') | 1<<('h'-'a') | 1<<('i'-'a') | 1<<('l'-'a') | 1<<('m'-'a') | 1<<('n'-'a') |
	1<<('o'-'a') | 1<<('p'-'a') | 1<<('r'-'a') | 1<<('s'-'a') | 1<<('t'-'a') | 1<<('v'-'a')

// nextForm returns the form of names that begin with n. They lead to the next page.
func nextForm(letters []byte) form {
	if string(letters) == "numfound" {
		return form{kind: TotalRows}
	}
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

// moreForm returns the form of flags that are true if there are more pages.
func moreForm(letters []byte) form {
	switch string(letters) {
	case "hasmore", "hasnext", "hasnextpage", "hasnextpages", "hasnextlink", "hasnextcursor",
		"hasmorepage", "hasmorepages", "hasmoreresults", "hasmorerecords", "hasmoreitems", "hasmoredata", "hasmorerows", "hasmoreentries",
		"moreitemsincollection", "morerecords", "moreresults", "moreitems", "morepages", "moredata", "moreavailable":
		return form{kind: MorePages}
	case "more":
		return form{kind: MorePages, weak: true, flag: true}
	default:
		return form{}
	}
}

// lastForm returns the form of flags that are true on the last page, or if the list is
// truncated.
func lastForm(letters []byte) form {
	switch string(letters) {
	case "islast", "islastpage", "endofstream", "endofrecords", "endofresults", "endoflist":
		return form{kind: LastPage}
	case "lastpage":
		return form{kind: LastPage, flag: true}
	case "last":
		return form{kind: LastPage, weak: true, flag: true}
	case "istruncated", "exceededtransferlimit", "ismoreavailable":
		return form{kind: MorePages, flag: true}
	default:
		return form{}
	}
}

// totalForm returns the form of names for the total number of rows.
func totalForm(letters []byte) form {
	switch string(letters) {
	case "total":
		return form{kind: TotalRows, weak: true}
	case "totalcount", "totalresults", "totalrecords", "totalitems", "totalrows", "totalhits", "totalelements", "totalentries", "totalfound":
		return form{kind: TotalRows}
	case "truncated":
		return form{kind: MorePages, flag: true}
	default:
		return form{}
	}
}

// tokenForm returns the form of names of tokens for the next page that do not contain
// `next`.
func tokenForm(letters []byte) form {
	switch string(letters) {
	case "continuation", "continuationtoken", "continuationkey":
		return form{kind: NextPage}
	case "startingafter", "continue":
		return form{kind: NextPage, weak: true, grouped: true}
	case "offset": // a number would repeat the request
		return form{kind: NextPage, weak: true, text: true}
	default:
		return form{}
	}
}

// AboutPages reports whether APIs put indicators into objects with this name.
func AboutPages(name []byte) bool {
	var buf [maxForm]byte
	letters, ok := lettersOf(buf[:0:maxForm], name)
	if !ok {
		return false
	}
	switch string(letters) {
	case "link", "links", "page", "pages", "pager", "meta", "cursor", "cursors", "info", "resultinfo", "additionaldata", "navigation", "nav", "view", "continue":
		return true
	default:
		return slices.ContainsFunc([]string{"paging", "paginat", "pageinfo", "pagecontext", "metadata"}, func(part string) bool { return bytes.Contains(letters, []byte(part)) })
	}
}

// echoesRequest reports whether an object with this name repeats the parameters of the
// request.
func echoesRequest(name string) bool {
	switch name {
	case "request", "query", "params", "parameters", "filter", "filters", "args", "arguments", "input":
		return true
	default:
		return false
	}
}

// isNextMember reports whether a member of an object `next` leads to the next page.
func isNextMember(name []byte) bool {
	switch string(name) {
	case "href", "url", "uri", "link", "path", "after", "cursor", "token", "page", "offset", "start", "starting_after", "startingAfter":
		return true
	default:
		return false
	}
}

// isOfMoney reports whether a member with this name shows that a total beside it is an
// amount of money.
func isOfMoney(name []byte) bool {
	switch string(name) {
	case "currency", "Currency", "currency_code", "currencyCode", "amount", "Amount", "subtotal", "sub_total", "subTotal", "Subtotal", "SubTotal",
		"tax", "Tax", "taxes", "tax_total", "taxTotal", "total_tax", "totalTax", "TotalTax", "vat":
		return true
	default:
		return false
	}
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
