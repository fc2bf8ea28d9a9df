package auth

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// mergeHeaders lays the headers of an authentication over those of a request:
// of one name, whatever its letter case, only the authentication's is sent.
func mergeHeaders(r *http.Request, headers value.Value) error {
	for _, m := range headers.Members() {
		if !httpguts.ValidHeaderFieldName(m.Name) {
			return failure.Userf("'%s' cannot be the name of a header", m.Name)
		}
		texts, err := texts(m.Name, m.Value)
		if err != nil {
			return err
		}
		for name := range r.Header {
			if strings.EqualFold(name, m.Name) {
				delete(r.Header, name)
			}
		}
		for _, text := range texts {
			text = strings.Trim(text, " \t\r\n")
			if !httpguts.ValidHeaderFieldValue(text) {
				return failure.Userf("the value of the header '%s' holds a character that no header can carry", m.Name)
			}
			if strings.EqualFold(m.Name, "Host") {
				r.Host = text
				continue
			}
			name := m.Name
			if canonical := http.CanonicalHeaderKey(name); canonical == "Authorization" || canonical == "User-Agent" || canonical == "Cookie" {
				name = canonical
			}
			r.Header[name] = append(r.Header[name], text)
		}
	}
	return nil
}

// texts is a value as text: one, or one for each item of a list of scalars.
func texts(name string, v value.Value) ([]string, error) {
	items := []value.Value{v}
	if v.Kind() == value.Array {
		items = v.Items()
	}
	var all []string
	for _, item := range items {
		if k := item.Kind(); k == value.Object || k == value.Array {
			return nil, failure.Userf("the value of '%s' must be a text, found an %s", name, k)
		}
		all = append(all, item.Text())
	}
	return all, nil
}

// query is the query of an address, taken apart: names with their values in
// the order of their first appearance.
type query []parameter

type parameter struct {
	name   string
	values []text
}

// text is a value that may be missing altogether (a name without =).
type text struct {
	s       string
	missing bool
}

// parseQuery takes a query apart. Names are what they are after decoding: a[0]
// is just a name.
func parseQuery(raw string) query {
	var q query
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		name, s, ok := strings.Cut(pair, "=")
		q.add(decode(name), text{decode(s), !ok})
	}
	return q
}

func decode(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	return s
}

func (q *query) find(name string) int {
	for i := range *q {
		if (*q)[i].name == name {
			return i
		}
	}
	return -1
}

func (q *query) add(name string, values ...text) {
	if at := q.find(name); at >= 0 {
		(*q)[at].values = append((*q)[at].values, values...)
		return
	}
	*q = append(*q, parameter{name, values})
}

// set replaces all values of a name, in its place, or appends it.
func (q *query) set(name string, values ...text) {
	if at := q.find(name); at >= 0 {
		(*q)[at].values = values
		return
	}
	*q = append(*q, parameter{name, values})
}

// encode puts the query together again, strictly percent-encoded.
func (q query) encode() string {
	var b strings.Builder
	for _, p := range q {
		for _, v := range p.values {
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(percentEncode(p.name))
			if !v.missing {
				b.WriteByte('=')
				b.WriteString(percentEncode(v.s))
			}
		}
	}
	return b.String()
}

// percentEncode is RFC 3986: everything but letters, digits, - . _ ~ encoded.
func percentEncode(s string) string {
	return strings.NewReplacer("+", "%20", "%7E", "~").Replace(url.QueryEscape(s))
}

// queryTexts is a value as values of a query parameter; null has none.
func queryTexts(name string, v value.Value) ([]text, error) {
	if v.IsNull() {
		return []text{{missing: true}}, nil
	}
	plain, err := texts(name, v)
	if err != nil {
		return nil, err
	}
	all := make([]text, len(plain))
	for i, s := range plain {
		all[i] = text{s: s}
	}
	return all, nil
}

// mergeIndexed adds the query parameters of a login: a name that the request
// has too is sent as a list, the request's values first. The query is always
// put together anew.
func mergeIndexed(r *http.Request, added value.Value) error {
	q := parseQuery(r.URL.RawQuery)
	var plain, indexed query
	for _, m := range added.Members() {
		values, err := queryTexts(m.Name, m.Value)
		if err != nil {
			return err
		}
		at := q.find(m.Name)
		if at < 0 {
			plain.add(m.Name, values...)
			continue
		}
		for i, v := range append(q[at].values[:len(q[at].values):len(q[at].values)], values...) {
			indexed.add(m.Name+"["+strconv.Itoa(i)+"]", v)
		}
		q = append(q[:at:at], q[at+1:]...)
	}
	r.URL.RawQuery = append(append(q, plain...), indexed...).encode()
	return nil
}

// mergeReplaced adds query parameters that replace those of the same name.
func mergeReplaced(r *http.Request, added value.Value) error {
	q := parseQuery(r.URL.RawQuery)
	for _, m := range added.Members() {
		values, err := queryTexts(m.Name, m.Value)
		if err != nil {
			return err
		}
		q.set(m.Name, values...)
	}
	r.URL.RawQuery = q.encode()
	return nil
}
