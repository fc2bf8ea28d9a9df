package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// pager is a candidate for the pagination of the API.
type pager struct {
	settings   object // settings of `pagination`, the method first
	confidence confidence
	evidence   string
	// replaced are parameters of the example that the scroller sends itself.
	replaced []string
	// added are parameters that the job needs for the scroller.
	added []value.Member
	note  string
	// needsFlag is true if the stopper of the flag for more pages must be added.
	needsFlag bool
}

func (p *pager) method() string { return p.settings[0].Value.Raw() }

func newPager(method string, c confidence, evidence string) *pager {
	return &pager{settings: object{{Name: pagination.MethodName.Name, Value: value.OfString(method)}}, confidence: c, evidence: evidence}
}

func (p *pager) setText(s field.Setting[string], text string) {
	p.settings.set(s.Name, value.OfString(text))
}

func (p *pager) setNumber(s field.Setting[int], n int64) { p.settings.set(s.Name, value.OfInt(n)) }

// flagStop adds a stopper: pagination ends if the field at path has the value stopOn.
func (p *pager) flagStop(path string, stopOn bool) {
	flag := object{{Name: pagination.FlagField.Name, Value: value.OfString(path)}, {Name: pagination.StopOn.Name, Value: value.OfBool(stopOn)}}
	p.settings.set(pagination.NextPageFlag.Name, flag.value())
}

func (p *pager) has(name string) bool {
	return slices.ContainsFunc(p.settings, func(m value.Member) bool { return m.Name == name })
}

func (p *pager) setFlag(s field.Setting[bool]) { p.settings.set(s.Name, value.OfBool(true)) }

// pagerFinders returns the functions that look for pagination, in order of preference.
// Evidence in the response comes before usual names. In GraphQL only the variables are
// parameters, so only one function applies.
//
// To add a kind of pagination, write its function and list it here. It returns nil if the
// example shows no evidence. Add rows to infer_test.go and a row to the table in
// docs/how-to/init.md.
func (d *configBuilder) pagerFinders() []func(*configBuilder) *pager {
	if d.graphQL() {
		return []func(*configBuilder) *pager{graphQLPaging}
	}
	return []func(*configBuilder) *pager{
		nextAddress,
		linkHeader,
		headerNext,
		nextToken,
		lastID,
		cursorParam,
		offsetParam,
		pageParam,
		offsetResponse,
		pageResponse,
		linkPosition,
		lastIDGuess,
		newestFirst,
	}
}

// choosePaging sets the pagination. It returns a user error if the example does not show
// the chosen method.
func (d *configBuilder) choosePaging(choice string) error {
	var found []*pager
	for _, look := range d.pagerFinders() {
		p := look(d)
		if p != nil && !slices.ContainsFunc(found, func(o *pager) bool { return o.method() == p.method() }) {
			found = append(found, p)
		}
	}
	names := make([]string, 0, len(found)+1)
	for _, p := range found {
		names = append(names, p.method())
		d.Pagings = append(d.Pagings, Option{p.method(), p.evidence})
	}
	d.Pagings, names = append(d.Pagings, Option{None, "one request"}), append(names, None)
	at := 0
	if choice != "" {
		if at = slices.Index(names, choice); at < 0 {
			return failure.Userf("the example shows no pagination by '%s', expected one of %s", choice, strings.Join(names, ", "))
		}
		d.Pagings = toFront(d.Pagings, at)
	}
	place := pointer(config.APISection, config.PaginationSection)
	if at == len(found) {
		why := "nothing in the example shows how to request the next page"
		if choice != "" {
			why = "chosen"
		} else {
			d.noteMore()
		}
		d.guess("paging", place, value.OfString(None), likely, why)
		return nil
	}
	if choice == "" {
		d.noteOthers(found)
	}
	d.usePager(found[at])
	d.guess("paging", place, value.OfMembers(d.pager.settings...), d.pager.confidence, d.pager.evidence)
	return nil
}

// reasons explains, for each method, why it is preferred to others.
var reasons = map[string]string{
	"link":                 "the API itself returns the URL of the next page, and none after the last page",
	"response.url":         "the API itself returns the URL of the next page, and none after the last page",
	"zendesk.response.url": "the API itself returns the URL of the next page",
	"response.param":       "the API itself returns the value that requests the next page, and none after the last page",
	"cursor":               "it continues after an item, so nothing is missed if items are added or removed during the run",
	"offset":               "the example shows most of what it needs",
	"pagenum":              "the example shows most of what it needs",
}

// noteOthers adds a note about the methods that were not used.
func (d *configBuilder) noteOthers(found []*pager) {
	if len(found) < 2 {
		return
	}
	var others []string
	for _, p := range found[1:] {
		others = append(others, quote(p.method()))
	}
	taken := found[0].method()
	d.note(fmt.Sprintf("There is more than one way to the next page. '%s' was chosen, because %s. To choose another one, use --paging: %s.", taken, reasons[taken], strings.Join(others, ", ")))
}

// noteMore adds a note if there is a next page and the example does not show how to
// request it.
func (d *configBuilder) noteMore() {
	more := ""
	f, path, last, flagged := d.moreFlag()
	total, n, counted := d.total()
	switch {
	case flagged && f.value.True() != last:
		more = fmt.Sprintf("The response shows that there are more pages ('%s' is %t)", path, !last)
	case counted && n > int64(len(d.data.items)):
		more = fmt.Sprintf("The response shows that there are more items ('%s' is %d, the page has %s)", total, n, textfmt.Count(len(d.data.items), "item"))
	case d.fullPage():
		more = fmt.Sprintf("The page is full (%s), so the API probably has more items", textfmt.Count(len(d.data.items), "item"))
	default:
		return
	}
	d.note(more + ". Nothing in the example shows how to request the next page. Look it up in the documentation of the API, and use an example that shows it. If a response shows that data is missing, the run fails (\"onIncomplete\").")
}

// usePager sets the pagination and adapts the parameters of the job.
func (d *configBuilder) usePager(p *pager) {
	d.pager = p
	d.dropParams(p.replaced...)
	d.params = append(d.params, p.added...)
	if p.note != "" {
		d.note(p.note)
	}
	if m := p.method(); (m == "offset" || m == "pagenum" || m == "response.param" || p.needsFlag) && !p.has(pagination.NextPageFlag.Name) {
		d.addFlagStop()
	}
}

func (d *configBuilder) addFlagStop() {
	if _, path, last, ok := d.moreFlag(); ok {
		d.pager.flagStop(path, last)
		d.pager.evidence += fmt.Sprintf("; '%s' reports whether there is more", path)
	}
}

// fullPage reports whether the page has as many items as the example requested.
func (d *configBuilder) fullPage() bool {
	for _, m := range d.params {
		if n, ok := m.Value.Int(); ok && slices.Contains(limitNames, textfmt.Letters(m.Name)) && int(n) == len(d.data.items) {
			return true
		}
	}
	return false
}

// nextAddress finds the URL of the next page in the response.
func nextAddress(d *configBuilder) *pager {
	for _, f := range d.factsOutsideData() {
		name, parent := textfmt.Letters(f.name()), textfmt.Letters(f.parent())
		below := strings.Contains(parent, "next") && slices.Contains([]string{"href", "url", "link", "uri"}, name)
		if !strings.Contains(name, "next") && !below {
			continue
		}
		address := f.value.Raw()
		switch {
		case f.value.Kind() == value.String && looksLikeAddress(address):
			return d.addressPager(f, address)
		case f.value.Empty() && (slices.Contains([]string{"nexturl", "nextlink", "nexthref", "nextpageurl", "odatanextlink"}, name) || name == "next" && d.hasSiblingLink(f)):
			p := d.addressPager(f, "")
			if p != nil {
				p.confidence = likely
				p.evidence = fmt.Sprintf("the response has the key '%s', which is empty: the example is the last page", strings.Join(f.keyPath, "."))
			}
			return p
		}
	}
	return nil
}

func looksLikeAddress(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "/") && len(text) > 1 || strings.HasPrefix(text, "?")
}

// hasSiblingLink reports whether the object around a key also has links such as
// "previous" or "self".
func (d *configBuilder) hasSiblingLink(f scalarFact) bool {
	return slices.ContainsFunc(d.facts, func(o scalarFact) bool {
		return slices.Equal(o.keyPath[:len(o.keyPath)-1], f.keyPath[:len(f.keyPath)-1]) && slices.Contains([]string{"previous", "prev", "first", "last", "self"}, textfmt.Letters(o.name()))
	})
}

func (d *configBuilder) addressPager(f scalarFact, address string) *pager {
	path, delimiter, ok := f.path()
	if !ok {
		return nil
	}
	p := newPager("response.url", sure, fmt.Sprintf("'%s' of the response has the URL of the next page", path))
	p.setText(pagination.URLKey, path)
	if delimiter != "." {
		p.setText(pagination.URLDelimiter, delimiter)
	}
	if strings.HasPrefix(address, "?") {
		p.setFlag(pagination.ParamIsQuery)
		p.evidence = fmt.Sprintf("'%s' of the response has the query of the next page", path)
	}
	p.note = d.originNote(address)
	_, query, _ := strings.Cut(address, "?")
	next := value.OfMembers(parseQuery(query)...)
	if _, ok := next.Get("start_time"); ok && delimiter == "." && d.hasFact("endtime") {
		p.settings[0].Value = value.OfString("zendesk.response.url")
		p.evidence += "; it has start_time and the response has end_time, as in Zendesk's incremental exports"
	}
	if d.method == "GET" && address != "" {
		d.keepParams(p, query)
	}
	return p
}

// keepParams sends the parameters of the job again if the query of the next page lacks
// some.
func (d *configBuilder) keepParams(p *pager, query string) {
	if missing := d.missingParams(query); len(missing) > 0 {
		p.setFlag(pagination.IncludeParams)
		p.evidence += "; it lacks " + strings.Join(missing, ", ") + " of the request, so the parameters are sent again"
	}
}

// missingParams returns the quoted names of the parameters that the query of the next
// page lacks. It returns nil if the query changes the value of a parameter: the query is
// then complete by itself.
func (d *configBuilder) missingParams(query string) []string {
	next := value.OfMembers(parseQuery(query)...)
	var missing []string
	for _, m := range d.params {
		v, ok := next.Get(m.Name)
		if ok && v.Text() != m.Value.Text() {
			return nil
		}
		if !ok {
			missing = append(missing, quote(m.Name))
		}
	}
	return missing
}

// originNote returns a note if the next page is at another origin, because no credentials
// are sent there. Otherwise it returns "".
func (d *configBuilder) originNote(address string) string {
	next, err := d.url.Parse(address)
	if err != nil || config.OriginOf(next) == config.OriginOf(d.url) {
		return ""
	}
	return fmt.Sprintf("The next page is at %s, but the example is at %s: credentials are not sent there. If the new origin may receive them, add \"http\": {\"trustedOrigins\": [%q]} to \"api\".",
		config.OriginOf(next), config.OriginOf(d.url), config.OriginOf(next))
}

// hasFact reports whether the response has a scalar of this name outside of the data.
func (d *configBuilder) hasFact(name string) bool {
	return slices.ContainsFunc(d.factsOutsideData(), func(f scalarFact) bool { return textfmt.Letters(f.name()) == name })
}

// tokenNames are keys of a response with a cursor for the next page.
var tokenNames = []string{"cursor", "endcursor", "aftercursor", "continuationtoken", "continuation", "scrollid", "bookmark", "marker", "pagetoken"}

// nextNames are the endings of keys that begin with "next" and have a cursor. Other
// endings occur, too, such as next_delivery_at.
var nextNames = []string{"", "cursor", "token", "page", "pagetoken", "pagecursor", "pageid", "pagekey", "offset", "start", "id", "key", "marker", "bookmark", "continuationtoken", "scrollid", "index", "position"}

// tokenParams are parameters that usually carry a cursor.
var tokenParams = []string{"cursor", "startcursor", "pagetoken", "nextpagetoken", "nexttoken", "nextcursor", "paginationtoken", "after", "continuationtoken", "continuation", "scrollid", "bookmark", "marker"}

// isToken reports whether a value of the response is a cursor for the next page.
func isToken(f scalarFact) bool {
	name, parent := textfmt.Letters(f.name()), textfmt.Letters(f.parent())
	if k := f.value.Kind(); k == value.Bool || k == value.String && looksLikeAddress(f.value.Raw()) {
		return false
	}
	switch {
	case strings.HasPrefix(name, "next") && slices.Contains(nextNames, name[len("next"):]):
		return !f.value.Empty() || name != "next" // an empty "next" may be anything
	case slices.Contains(tokenNames, name):
		return true
	case slices.Contains([]string{"startingafter", "after", "token", "pagetoken"}, name) && slices.Contains([]string{"next", "nextpage"}, parent):
		return true // Intercom
	case name == "after":
		return strings.Contains(parent, "cursor") || strings.Contains(parent, "paging") || strings.Contains(parent, "next") || strings.Contains(parent, "page")
	case name == "offset": // Airtable returns a text
		return f.value.Kind() == value.String && !f.value.IsNumeric() && f.value.Raw() != ""
	}
	return false
}

// paramOf returns the parameter that the name of a cursor suggests: next_cursor becomes
// cursor.
func paramOf(f scalarFact) string {
	name := f.name()
	switch textfmt.Letters(name) {
	case "endcursor", "aftercursor":
		return "after"
	case "nexttoken":
		return name
	case "next":
		for _, word := range []string{"cursor", "page", "offset"} {
			if strings.Contains(textfmt.Letters(f.parent()), word) {
				return word
			}
		}
		return "cursor"
	}
	rest := nextWord().ReplaceAllString(name, "")
	if rest == "" {
		return name
	}
	if rest != name {
		rest = strings.ToLower(rest[:1]) + rest[1:]
	}
	return strings.TrimLeft(rest, "_-")
}

// nextWord matches the word "next" at the beginning of a name.
var nextWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^_?[nN]ext_?`) })

// nextToken finds a cursor in the response that is a parameter of the next request.
func nextToken(d *configBuilder) *pager {
	for _, f := range d.factsOutsideData() {
		path, ok := f.dotted()
		if !ok || !isToken(f) {
			continue
		}
		param, known := d.paramLike(paramOf(f), tokenParams)
		if own, ok := d.param(param); ok && !own.Empty() && own.Text() == f.value.Text() {
			continue // an echo of the request
		}
		p := newPager("response.param", likely, fmt.Sprintf("'%s' of the response looks like the value that requests the next page", path))
		if f.value.Empty() {
			p.evidence = fmt.Sprintf("the response has the key '%s', which is empty: the example is the last page", path)
		} else if known {
			p.confidence = sure
		}
		p.setText(pagination.ResponseParam, path)
		return d.sendToken(p, param, known)
	}
	return nil
}

// paramLike returns the first parameter of the request that has the name or another of the
// names. If the request lacks such a parameter, it returns name and false.
func (d *configBuilder) paramLike(name string, others []string) (param string, known bool) {
	for _, m := range d.params {
		if short := textfmt.Letters(m.Name); short == textfmt.Letters(name) || slices.Contains(others, short) {
			return m.Name, true
		}
	}
	return name, false
}

// sendToken sends the value for the next page as a parameter, with the other parameters.
// known reports whether the request of the example has the parameter.
func (d *configBuilder) sendToken(p *pager, param string, known bool) *pager {
	if known {
		p.evidence += fmt.Sprintf("; the request has the parameter '%s'", param)
	} else {
		p.evidence += fmt.Sprintf("; that '%s' is its parameter is a guess, look it up in the documentation", param)
	}
	p.setText(pagination.QueryParam, param)
	p.replaced = []string{param}
	if slices.ContainsFunc(d.params, func(m value.Member) bool { return m.Name != param }) {
		p.setFlag(pagination.IncludeParams)
	}
	return p
}
