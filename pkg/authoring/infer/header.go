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

// nextLink returns the URL of the next page from the header Link.
func (d *configBuilder) nextLink() (*url.URL, bool) {
	target, ok := pagination.LinkTo("next", d.x.ResponseHeader.Values("Link"), d.url)
	if !ok {
		return nil, false
	}
	u, err := d.url.Parse(target)
	return u, err == nil && u.Host != ""
}

func linkHeader(d *configBuilder) *pager {
	u, ok := d.nextLink()
	if !ok {
		return nil
	}
	p := newPager("link", sure, "the header Link has the URL of the next page")
	d.followURL(p, u)
	return p
}

// followURL completes a pager that requests the URL of a header. Such a URL has all
// parameters of its query, so only the parameters in a body are sent again.
func (d *configBuilder) followURL(p *pager, u *url.URL) {
	p.note = d.originNote(u.String())
	missing := d.missingParams(u.RawQuery)
	switch {
	case d.method != "GET" && len(d.params) > 0:
		p.setFlag(pagination.IncludeParams)
	case d.method == "GET" && len(missing) > 0:
		note := fmt.Sprintf("The URL of the next page lacks %s of the request. Usually the API does not need them again; if later pages have other items, set \"includeParams\" to true.", strings.Join(missing, ", "))
		p.note = strings.TrimSpace(p.note + " " + note)
	}
}

// linkPosition finds a page number or an offset in the URL of the header Link.
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
			p := newPager("pagenum", likely, fmt.Sprintf("the header Link requests the next page by '%s'", name))
			return d.addLimits(d.setPage(p, name, n-1))
		case ok && slices.Contains(offsetNames, short):
			p := newPager("offset", likely, fmt.Sprintf("the header Link requests the next page by '%s'", name))
			return d.addLimits(d.setOffset(p, name, 0))
		}
	}
	return nil
}

// headerNext finds another header with the URL or the cursor of the next page, such as
// X-Next-Page.
func headerNext(d *configBuilder) *pager {
	for _, name := range sortedNames(d.x.ResponseHeader) {
		param, known := headerParam(name)
		if !known {
			continue
		}
		text := strings.TrimSpace(d.x.ResponseHeader.Get(name))
		next := one(pagination.NextHeader.Name, value.OfString(name))
		if looksLikeAddress(text) {
			p := newPager("response.url", sure, fmt.Sprintf("the header %s has the URL of the next page", name))
			p.settings.set(pagination.Next.Name, next)
			if u, err := d.url.Parse(text); err == nil {
				d.followURL(p, u)
			}
			return p
		}
		return d.headerPager(name, param, text, next)
	}
	return nil
}

func (d *configBuilder) headerPager(name, param, text string, next value.Value) *pager {
	p := newPager("response.param", likely, fmt.Sprintf("the header %s looks like the value that requests the next page", name))
	if text == "" || strings.EqualFold(text, "null") {
		p.evidence = fmt.Sprintf("the response has the header %s, which is empty: the example is the last page", name)
	}
	also := tokenParams
	if param == "page" {
		also = slices.Concat(tokenParams, pageNames)
	}
	param, known := d.paramLike(param, also)
	if known {
		p.confidence = sure
	}
	p.settings.set(pagination.Next.Name, next)
	return d.sendToken(p, param, known)
}

// headerParam returns the parameter that usually carries the value of a header. It
// returns "" for headers with a URL, and false for headers that do not lead to the next
// page.
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
