package apis

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// googleAds responds to queries in pages.
type googleAds struct {
	googleAccount
	day       int
	campaigns []*googleAdsCampaign
	groups    []*googleAdsGroup
	pages     map[string]googleAdsPage // by their tokens
	limited   time.Time                // until when all queries are refused
}

type googleAdsCampaign struct {
	id, name, status, channel string
}

type googleAdsGroup struct {
	campaign         *googleAdsCampaign
	id, name, status string
}

// googleAdsPage is where the page of a token starts, and the query that it belongs to.
type googleAdsPage struct {
	query string
	start int
}

// googleAdsPageSize is 10,000 in the API.
const googleAdsPageSize = 100

// googleAdsStart is the first day with ads.
var googleAdsStart = time.Date(2025, 11, 20, 0, 0, 0, 0, time.UTC)

// googleAdsQuery is a query in the language of Google Ads, googleAdsDates and
// googleAdsStatus are its conditions, as far as they are used.
var (
	googleAdsQuery  = regexp.MustCompile(`^SELECT ([a-z_., ]+) FROM ([a-z_]+)(?: WHERE (.+))?$`)
	googleAdsDates  = regexp.MustCompile(`^segments\.date BETWEEN '(\d{4}-\d\d-\d\d)' AND '(\d{4}-\d\d-\d\d)'(?: AND |$)`)
	googleAdsStatus = regexp.MustCompile(`^([a-z_]+\.status) IN \(('[A-Z]+'(?:, '[A-Z]+')*)\)(?: AND |$)`)
)

func newGoogleAds(w *world) mockServer {
	const parents = "all queries are for the account itself, no resource has children"
	w.notShown = map[condition]string{
		forbidden:     parents,
		missingParent: parents,
		errorIn200:    "googleAds:search responds to an error with its own status; only searchStream can fail after the status was sent",
	}
	g := &googleAds{googleAccount: newGoogleAccount(w, "adwords"), day: 1, pages: map[string]googleAdsPage{}}
	for i, status := range []string{"ENABLED", "ENABLED", "PAUSED", "REMOVED"} {
		g.campaign("Search "+strconv.Itoa(i), status, "SEARCH")
	}
	for i := range 9 {
		g.groups = append(g.groups, &googleAdsGroup{g.campaigns[i%4], strconv.Itoa(700 + i), "Group, \"" + strconv.Itoa(i) + "\"", "ENABLED"})
	}
	g.campaign("Everything", "ENABLED", "PERFORMANCE_MAX")
	g.campaign("New", "ENABLED", "UNKNOWN") // a value that this version of the API does not have
	for i := range 230 {
		g.campaign("Draft "+strconv.Itoa(i), "PAUSED", "DISPLAY")
	}
	return g
}

func (g *googleAds) campaign(name, status, channel string) {
	g.campaigns = append(g.campaigns, &googleAdsCampaign{strconv.Itoa(100 + len(g.campaigns)), name, status, channel})
}

func (g *googleAds) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !g.admit(rw, r) {
		return
	}
	g.refuseIf(r.Method != http.MethodPost || r.Host != "googleads.googleapis.com" ||
		r.URL.String() != "/v26/customers/1234567890/googleAds:search", "no such method")
	g.refuseIf(r.Header.Get("login-customer-id") != "1112223333",
		"USER_PERMISSION_DENIED: the manager's id must be set in login-customer-id")
	// Other parameters are refused: pageSize is PAGE_SIZE_NOT_SUPPORTED since v19.
	var request struct{ Query, PageToken string }
	g.refuseError(strictly(r.Body, &request))
	if !g.Now().Before(g.limited) {
		if g.count("") == 2 {
			g.limited = g.Now().Add(17 * time.Second)
		}
	}
	switch left := g.limited.Sub(g.Now()); {
	case left > 0:
		g.refusedAgain(request.Query+request.PageToken, g.limited)
		g.exhausted(rw, object{"rateScope": "DEVELOPER", "rateName": "Requests per service per method", "retryDelay": fmt.Sprintf("%.0fs", math.Ceil(left.Seconds()))})
	case g.requests[""] == 5:
		googleError(rw, http.StatusInternalServerError, "INTERNAL", "Internal error encountered.")
	default:
		g.search(rw, r, request.Query, request.PageToken)
	}
}

func (g *googleAds) exhausted(rw http.ResponseWriter, details object) {
	failure := object{
		"@type": "type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure",
		"errors": []any{object{
			"errorCode": object{"quotaError": "RESOURCE_TEMPORARILY_EXHAUSTED"},
			"message":   "Too many requests. Retry in 17 seconds.",
			"details":   object{"quotaErrorDetails": details},
		}},
	}
	reply(rw, http.StatusTooManyRequests, object{"error": object{"code": 429, "message": "Resource has been exhausted (e.g. check quota).", "status": "RESOURCE_EXHAUSTED", "details": []any{failure}}})
}

func (g *googleAds) search(rw http.ResponseWriter, r *http.Request, query, token string) {
	rows, fields, err := g.rows(query)
	g.refuseIf(err != nil, err, ": ", query)
	page, known := g.pages[token]
	g.refuseIf(token != "" && (!known || page.query != query), "INVALID_PAGE_TOKEN "+token)
	size := googleAdsPageSize
	if page.start == googleAdsPageSize { // pages have up to that many rows
		size = 61
	}
	end := min(page.start+size, len(rows))
	body := object{"fieldMask": strings.Join(fields, ","), "queryResourceConsumption": "1234"}
	var sent []any
	for _, found := range rows[page.start:end] {
		sent = append(sent, googleAdsRow(found))
		g.noteConditions(found)
	}
	if len(sent) > 0 {
		body["results"] = sent
	}
	if end < len(rows) {
		next := "CPii5aS" + strconv.Itoa(len(g.pages))
		g.pages[next] = googleAdsPage{query, end}
		body["nextPageToken"] = next
		g.showsIf(size < googleAdsPageSize, shortPage)
		if date := rows[end]["segments.date"]; date != "" && date == rows[end-1]["segments.date"] {
			g.shows(tie)
		}
	}
	reply(rw, http.StatusOK, body)
}

func (g *googleAds) noteConditions(found row) {
	for _, c := range []struct {
		column, value string
		condition     condition
	}{
		{"campaign.status", "REMOVED", deleted},
		{"campaign.status", "PAUSED", archived},
		{"campaign.advertising_channel_type", "UNKNOWN", oddValue},
	} {
		g.showsIf(found[c.column] == c.value, c.condition)
	}
	if name, selected := found["customer.descriptive_name"]; selected && name == "" {
		g.shows(absentKey)
	}
}

// googleAdsRow is a row in the form of JSON: an object for each resource, and names in
// camel case. Fields without a value are absent. Integers are texts, fractions numbers.
func googleAdsRow(found row) object {
	item := object{}
	for field, value := range found {
		resource, name, _ := strings.Cut(camelCase(field), ".")
		if value == "" {
			continue
		}
		if item[resource] == nil {
			item[resource] = object{}
			if resource != "metrics" && resource != "segments" { // it comes without being selected
				item[resource].(object)["resourceName"] = "customers/1234567890/" + resource + "s/" + found[resource+".id"]
			}
		}
		var v any = value
		if strings.HasPrefix(name, "conversions") {
			v = json.Number(value)
		}
		item[resource].(object)[name] = v
	}
	return item
}

func (g *googleAds) rows(query string) (rows []row, fields []string, err error) {
	parts := googleAdsQuery.FindStringSubmatch(query)
	if parts == nil {
		return nil, nil, fmt.Errorf("UNEXPECTED_INPUT")
	}
	fields = strings.Split(parts[1], ", ")
	conditions := parts[3]
	all := g.resources(parts[2])
	if dates := googleAdsDates.FindStringSubmatch(conditions); dates != nil {
		from, fromErr := time.Parse(time.DateOnly, dates[1])
		to, toErr := time.Parse(time.DateOnly, dates[2])
		if fromErr != nil || toErr != nil || to.Before(from) || from.Before(g.Now().AddDate(0, -37, 0)) {
			return nil, nil, fmt.Errorf("dates %s and %s", dates[1], dates[2])
		}
		all, conditions = g.days(parts[2], from, to), conditions[len(dates[0]):]
	}
	// Without a condition for its status, what was removed is left out.
	allowed := map[string]string{"campaign.status": "'ENABLED', 'PAUSED'", "ad_group.status": "'ENABLED', 'PAUSED'"}
	for conditions != "" {
		status := googleAdsStatus.FindStringSubmatch(conditions)
		if status == nil {
			return nil, nil, fmt.Errorf("UNEXPECTED_INPUT %s", conditions)
		}
		allowed[status[1]], conditions = status[2], conditions[len(status[0]):]
	}
	for _, found := range all {
		isLeftOut := false
		for field, values := range allowed {
			status, has := found[field]
			isLeftOut = isLeftOut || has && !strings.Contains(values, "'"+status+"'")
		}
		if isLeftOut {
			continue
		}
		r := row{}
		for _, field := range fields {
			v, known := found[field]
			if !known {
				return nil, nil, fmt.Errorf("UNRECOGNIZED_FIELD %s", field)
			}
			r[field] = v
		}
		rows = append(rows, r)
	}
	return rows, fields, nil
}

// resources are the accounts, campaigns and ad groups, with those that were removed.
func (g *googleAds) resources(resource string) (rows []row) {
	account := row{"customer.id": "1234567890", "customer.descriptive_name": "", "customer.currency_code": "CZK", "customer.time_zone": "Europe/Prague", "customer.status": "ENABLED"}
	with := func(found row) {
		maps.Copy(found, account)
		rows = append(rows, found)
	}
	switch resource {
	case "customer":
		with(row{})
	case "campaign":
		for _, c := range g.campaigns {
			with(row{"campaign.id": c.id, "campaign.name": c.name, "campaign.status": c.status, "campaign.advertising_channel_type": c.channel})
		}
	case "ad_group":
		for _, a := range g.groups {
			with(row{"campaign.id": a.campaign.id, "campaign.status": a.campaign.status, "ad_group.id": a.id, "ad_group.name": a.name, "ad_group.status": a.status, "ad_group.type": "SEARCH_STANDARD"})
		}
	}
	return rows
}

// days are the metrics of campaigns or ad groups. Performance Max has no ad groups, so its
// cost is in the campaigns only. A day without any metric has no row.
func (g *googleAds) days(resource string, from, to time.Time) (rows []row) {
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		if date.Before(googleAdsStart) {
			continue
		}
		for i, found := range g.resources(resource) {
			if i == 9 || i == 5 && date.Day()%2 == 0 {
				break // the others have no impressions on this day
			}
			found["segments.date"] = date.Format(time.DateOnly)
			found["metrics.impressions"], found["metrics.clicks"] = "1000", strconv.Itoa(i)
			found["metrics.cost_micros"] = strconv.Itoa(1250000 * i)
			found["metrics.conversions"] = g.conversions(date)
			found["metrics.conversions_value"] = "150.5"
			rows = append(rows, found)
		}
	}
	return rows
}

// conversions of a click still arrive after 80 days. They may be fractions.
func (g *googleAds) conversions(date time.Time) string {
	if g.day == 2 && date.After(firstDay.AddDate(0, 0, -80)) {
		return "2.333333"
	}
	return "1"
}

func (g *googleAds) nextDay() {
	g.day = 2
	g.campaigns[1].status = "REMOVED"
	g.groups[1].status = "REMOVED"
	g.campaign("Spring", "ENABLED", "DEMAND_GEN")
}

func (g *googleAds) expected(day int) tables {
	today := firstDay.Truncate(24*time.Hour).AddDate(0, 0, day-1)
	from := today.AddDate(-1, 0, 0)
	if day == 2 { // the day since the last run, and the 90 days before it
		from = today.AddDate(0, 0, -91)
	}
	yesterday := today.AddDate(0, 0, -1)
	columns := func(own string, rows []row) (list []row) {
		for _, found := range rows {
			r := row{}
			for field, v := range found {
				resource, name, _ := strings.Cut(field, ".")
				switch {
				case resource == "segments" || resource == "metrics":
					r[name] = v
				case resource == own:
					r[strings.TrimPrefix(name, "descriptive_")] = v
				case name == "id":
					r[strings.ReplaceAll(resource, "customer", "account")+"_id"] = v
				}
			}
			list = append(list, r)
		}
		return list
	}
	return tables{
		"accounts":      columns("customer", g.resources("customer")),
		"campaigns":     columns("campaign", g.resources("campaign")),
		"ad_groups":     columns("ad_group", g.resources("ad_group")),
		"campaign_days": columns("", g.days("campaign", from, yesterday)),
		"ad_group_days": columns("", g.days("ad_group", from, yesterday)),
	}
}

func camelCase(name string) string {
	var b strings.Builder
	upper := false
	for _, c := range name {
		if upper && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		if upper = c == '_'; !upper {
			b.WriteRune(c)
		}
	}
	return b.String()
}
