package auth

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func mergeHeaders(r *request.Request, headers value.Value) {
	r.SetHeaders(func(yield func(string, []string) bool) {
		for _, m := range headers.Members() {
			if !yield(m.Name, textsOf(m.Value)) {
				return
			}
		}
	})
	markSensitive(r, headers, secret.Sensitive.WithHeader)
}

func markSensitive(r *request.Request, added value.Value, with func(secret.Sensitive, string) secret.Sensitive) {
	for _, m := range added.Members() {
		if m.Value.Secret() {
			r.Sensitive = with(r.Sensitive, m.Name)
		}
	}
}

func textsOf(v value.Value) []string {
	var all []string
	for _, item := range itemsOf(v) {
		all = append(all, item.Text())
	}
	return all
}

// query is a parsed query: names with their values, in the order of their first
// occurrence.
type query []parameter

type parameter struct {
	name   string
	values []optionalText
}

// optionalText is a value that may be missing (a name without =).
type optionalText struct {
	s       string
	missing bool
}

// parseQuery parses a query. A decoded name is taken literally: a[0] is just a name.
func parseQuery(raw string) query {
	var q query
	for p := range php.Query(raw) {
		q.add(p.Name, optionalText{p.Value, p.Bare})
	}
	return q
}

func (q *query) find(name string) int {
	return slices.IndexFunc(*q, func(p parameter) bool { return p.name == name })
}

func (q *query) getOrAdd(name string) *parameter {
	at := q.find(name)
	if at < 0 {
		at = len(*q)
		*q = append(*q, parameter{name: name})
	}
	return &(*q)[at]
}

func (q *query) add(name string, values ...optionalText) {
	p := q.getOrAdd(name)
	p.values = append(p.values, values...)
}

func (q query) encode() string {
	var b strings.Builder
	for _, p := range q {
		for _, v := range p.values {
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(php.RawURLEncode(p.name))
			if !v.missing {
				b.WriteByte('=')
				b.WriteString(php.RawURLEncode(v.s))
			}
		}
	}
	return b.String()
}

func queryTexts(v value.Value) []optionalText {
	if v.IsNull() {
		return []optionalText{{missing: true}}
	}
	var all []optionalText
	for _, s := range textsOf(v) {
		all = append(all, optionalText{s: s})
	}
	return all
}

// mergeIndexed adds the query parameters of a login. A name that the request also has is
// sent as a list with the value of the request first. The query is always encoded again.
func mergeIndexed(r *request.Request, added value.Value) {
	q := parseQuery(r.URL.RawQuery)
	var plain, indexed query
	for _, m := range added.Members() {
		at := q.find(m.Name)
		if at < 0 {
			plain.add(m.Name, queryTexts(m.Value)...)
			continue
		}
		indexed.add(m.Name+"[0]", q[at].values...)
		indexed.add(m.Name+"[1]", queryTexts(m.Value)...)
		q = slices.Delete(q, at, at+1)
	}
	r.URL.RawQuery = slices.Concat(q, plain, indexed).encode()
	markSensitive(r, added, secret.Sensitive.WithParam)
}

// mergeReplaced adds query parameters. They replace parameters with the same name.
func mergeReplaced(r *request.Request, added value.Value) {
	q := parseQuery(r.URL.RawQuery)
	for _, m := range added.Members() {
		q.getOrAdd(m.Name).values = queryTexts(m.Value)
	}
	r.URL.RawQuery = q.encode()
	markSensitive(r, added, secret.Sensitive.WithParam)
}
