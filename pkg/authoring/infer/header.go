package infer

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// nextLink is the address of the next page in the header Link.
func (d *configBuilder) nextLink() (*url.URL, bool) {
	target, ok := pagination.LinkTo("next", d.x.ResponseHeader.Values("Link"), d.url)
	if !ok {
		return nil, false
	}
	u, err := d.url.Parse(target)
	return u, err == nil && u.Host != ""
}

// linkHeader finds the address of the next page in the header Link.
func linkHeader(d *configBuilder) *pager {
	u, ok := d.nextLink()
	if !ok {
		return nil
	}
	p := newPager("link", Sure, "the header Link holds the address of the next page")
	d.whole(p, u)
	return p
}

// whole takes the address of a header for a whole one: the body of a POST is sent again,
// parameters of a query are not.
func (d *configBuilder) whole(p *pager, u *url.URL) {
	p.note = d.elsewhere(u.String())
	missing := d.lacking(u.RawQuery)
	switch {
	case d.method != "GET" && len(d.params) > 0:
		p.flag(pagination.IncludeParams)
	case d.method == "GET" && len(missing) > 0:
		note := fmt.Sprintf("The address of the next page lacks %s of the request. Usually it knows by other means what was requested; if later pages have other items, set \"includeParams\" to true.", strings.Join(missing, ", "))
		p.note = strings.TrimSpace(p.note + " " + note)
	}
}

// linkPosition finds a page number or an offset in the address of the header Link.
func linkPosition(d *configBuilder) *pager {
	u, ok := d.nextLink()
	if !ok {
		return nil
	}
	for _, m := range parseQuery(u.RawQuery) {
		name := m.Name
		n, ok := wholeNumber(m.Value)
		switch short := textfmt.Letters(name); {
		case ok && n > 0 && slices.Contains(pageNames, short):
			p := newPager("pagenum", Likely, fmt.Sprintf("the header Link requests the next page by '%s'", name))
			return d.sized(d.page(p, name, n-1))
		case ok && slices.Contains(offsetNames, short):
			p := newPager("offset", Likely, fmt.Sprintf("the header Link requests the next page by '%s'", name))
			return d.sized(d.offset(p, name, 0))
		}
	}
	return nil
}

// headerNext finds another header that leads to the next page, such as X-Next-Page.
func headerNext(d *configBuilder) *pager {
	for _, name := range sortedNames(d.x.ResponseHeader) {
		param, known := headerParam(name)
		if !known {
			continue
		}
		text := strings.TrimSpace(d.x.ResponseHeader.Get(name))
		next := one(pagination.NextHeader.Name, value.OfString(name))
		if looksLikeAddress(text) {
			p := newPager("response.url", Sure, fmt.Sprintf("the header %s holds the address of the next page", name))
			p.settings.set(pagination.Next.Name, next)
			if u, err := d.url.Parse(text); err == nil {
				d.whole(p, u)
			}
			return p
		}
		return d.byHeader(name, param, text, next)
	}
	return nil
}

func (d *configBuilder) byHeader(name, param, text string, next value.Value) *pager {
	p := newPager("response.param", Likely, fmt.Sprintf("the header %s looks like the value that brings the next page", name))
	if text == "" || strings.EqualFold(text, "null") {
		p.evidence = fmt.Sprintf("the response has the header %s, which is empty: the example is the last page", name)
	}
	why := "; that '%s' carries it is only usual, look it up in the documentation"
	for _, m := range d.params {
		if short := textfmt.Letters(m.Name); short == textfmt.Letters(param) || slices.Contains(tokenParams, short) || param == "page" && slices.Contains(pageNames, short) {
			param, p.confidence, why = m.Name, Sure, "; the request has the parameter '%s'"
			break
		}
	}
	p.evidence += fmt.Sprintf(why, param)
	p.settings.set(pagination.Next.Name, next)
	p.text(pagination.QueryParam, param)
	p.replaced = []string{param}
	if slices.ContainsFunc(d.params, func(m value.Member) bool { return m.Name != param }) {
		p.flag(pagination.IncludeParams)
	}
	return p
}

// headerParam is the parameter that usually carries the value of a header, by its
// name; known is false for headers that lead nowhere.
func headerParam(name string) (param string, known bool) {
	short := strings.ToLower(name)
	if _, behind, ok := strings.Cut(short, "next"); ok {
		behind = strings.Trim(behind, "-_")
		switch textfmt.Letters(behind) {
		case "page":
			return "page", true
		case "", "cursor":
			return "cursor", true
		case "token", "pagetoken", "offset", "marker", "start", "id", "key", "pagecursor":
			return strings.ReplaceAll(behind, "-", "_"), true
		case "url", "link", "uri", "pageurl", "pagelink", "href":
			return "", true
		}
		return "", false
	}
	switch textfmt.Letters(strings.TrimPrefix(short, "x-")) {
	case "continuation", "continuationtoken", "mscontinuation", "mscontinuationtoken":
		return "continuationToken", true
	case "cursor", "bookmark", "scrollid":
		return strings.TrimPrefix(short, "x-"), true
	}
	return "", false
}
