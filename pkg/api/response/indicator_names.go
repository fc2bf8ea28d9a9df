package response

import (
	"bytes"
	"slices"
)

// form is the meaning of a member's name for paging. Services spell the same name in many
// ways, so names are compared by their letters and words: next_page, nextPage and
// @odata.nextPage have one form.
type form struct {
	kind IndicatorKind // 0 for none
	// weak is set for names that data has too, such as `next` and `last`. Their value and
	// the objects around them decide.
	weak bool
	// grouped is set for names that count only in an object about paging.
	grouped bool
	// text is set for names that count only directly beside the data, with a text.
	text bool
	// flag is set for names that count only with true or false.
	flag bool
}

// maxForm is the maximum number of letters of a name with a form.
const maxForm = 40

// formOf is the form of a name.
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
			return dst, false // as most names
		}
		dst = append(dst, c)
	}
	return dst, len(dst) > 0
}

// beginsForm reports whether any form, or the name of an object with such members, begins
// with a letter.
func beginsForm(letter byte) bool { return firstLetters&(1<<(letter-'a')) != 0 }

// firstLetters has a bit for each letter, 1 for 'a'.
const firstLetters = 1 | 1<<('c'-'a') | 1<<('e'-'a') | 1<<('h'-'a') | 1<<('i'-'a') | 1<<('l'-'a') | 1<<('m'-'a') | 1<<('n'-'a') |
	1<<('o'-'a') | 1<<('p'-'a') | 1<<('r'-'a') | 1<<('s'-'a') | 1<<('t'-'a') | 1<<('v'-'a')

// nextForm returns the form of names that lead to the next page, which begin with n.
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

// wordsOf reports whether letters consist only of words of paging, and whether one of the
// strong ones is among them.
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

// moreForm is the form of a flag that is true when there are more pages.
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

// lastForm is the form of a flag that is true on the last page, or when it was cut.
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

// totalForm is the form of the number of all rows.
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

// tokenForm returns the form of names without `next` for a token of the next page.
func tokenForm(letters []byte) form {
	switch string(letters) {
	case "continuation", "continuationtoken", "continuationkey":
		return form{kind: NextPage}
	case "startingafter", "continue":
		return form{kind: NextPage, weak: true, grouped: true}
	case "offset": // a number repeats the request
		return form{kind: NextPage, weak: true, text: true}
	default:
		return form{}
	}
}

// AboutPages reports whether APIs put indicators into an object of that name.
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

// echoesRequest reports whether an object of that name repeats what was requested.
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

// isOfMoney reports whether a name beside a total shows that it is a total of money.
func isOfMoney(name []byte) bool {
	switch string(name) {
	case "currency", "Currency", "currency_code", "currencyCode", "amount", "Amount", "subtotal", "sub_total", "subTotal", "Subtotal", "SubTotal",
		"tax", "Tax", "taxes", "tax_total", "taxTotal", "total_tax", "totalTax", "TotalTax", "vat":
		return true
	default:
		return false
	}
}

// TruncatesList reports whether the value true of a member with that name means that a list
// beside it is not whole.
func TruncatesList(name []byte) bool {
	if len(name) < len("hasMore") {
		return false
	}
	f := formOf(name)
	return f.kind == MorePages && !f.flag
}
