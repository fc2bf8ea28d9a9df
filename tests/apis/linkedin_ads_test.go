package apis

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// linkedinAds has lists with a token for the next page, and statistics whose query is written in
// the syntax of Rest.li, which is not percent-encoded. Lists of campaigns have the statuses that
// are requested. Statistics have no pages: what is beyond 15,000 elements is cut.
type linkedinAds struct {
	*world
	day       int
	second    time.Time // when the second day begins
	campaigns int
}

const (
	linkedinCampaign = "urn:li:sponsoredCampaign:"
	linkedinCreative = "urn:li:sponsoredCreative:"
	linkedinAccount  = "/rest/adAccounts/512345678"
	linkedinMetrics  = "impressions,clicks,costInLocalCurrency,externalWebsiteConversions,conversionValueInLocalCurrency,oneClickLeads"
)

var (
	linkedinStatistics = regexp.MustCompile(`^q=analytics&pivot=(CAMPAIGN|CREATIVE)&timeGranularity=DAILY` +
		`&dateRange=\(start:\(year:(\d{4}),month:([1-9]\d?),day:([1-9]\d?)\),end:\(year:(\d{4}),month:([1-9]\d?),day:([1-9]\d?)\)\)` +
		`&accounts=List\(urn%3Ali%3AsponsoredAccount%3A512345678\)` +
		`&fields=dateRange,pivotValues,` + linkedinMetrics + `$`)
	linkedinSearch = regexp.MustCompile(`^q=search&search=\(status:\(values:List\(([A-Z_,]+)\)\)\)&`)
)

func newLinkedinAds(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "the configuration has no children: every list belongs to the one ad account that the token must be able to read",
		missingParent: "the configuration has no children: every list belongs to the one ad account that the token must be able to read",
		tie:           "lists have no filter by time, and statistics are whole days without pages, which later runs request again",
		errorIn200:    "LinkedIn reports errors with their HTTP status; what it cuts without an error cannot be more than an account has creatives",
		expiredToken:  "a token lasts 60 days, only approved partners can renew it, and a 401 ends the run",
	}
	return &linkedinAds{world: w, day: 1, campaigns: 230}
}

func (l *linkedinAds) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	l.requests[r.URL.RequestURI()]++
	l.admit(r, "api.linkedin.com", map[string]string{"Authorization": "Bearer your-access-token", "LinkedIn-Version": "202608", "X-Restli-Protocol-Version": "2.0.0"})
	l.refuseIf(r.Method != http.MethodGet, "no such method")
	switch {
	case l.requests[r.URL.RequestURI()] == 1 && len(l.requests)%4 == 0:
		reply(rw, http.StatusTooManyRequests, object{"status": 429, "code": "TOO_MANY_REQUESTS", "message": "Resource level throttle limit"})
	case r.URL.Path == linkedinAccount:
		reply(rw, http.StatusOK, object{"id": 512345678, "name": "Account", "currency": "EUR", "status": "ACTIVE", "test": false})
	case r.URL.Path == linkedinAccount+"/adCampaignGroups":
		l.search(rw, r, []object{{"id": 7, "name": "Group", "status": "ACTIVE"}, {"id": 8, "name": "Old group", "status": "ARCHIVED"}})
	case r.URL.Path == linkedinAccount+"/adCampaigns":
		l.search(rw, r, l.allCampaigns())
	case r.URL.Path == linkedinAccount+"/creatives":
		l.refuseIf(r.Header.Get("X-RestLi-Method") != "FINDER" ||
			r.URL.Query().Get("q") != "criteria", "no finder")
		l.list(rw, r, l.allCreatives())
	case r.URL.Path == "/rest/adAnalytics":
		l.statistics(rw, r)
	default:
		l.refuse("no such resource")
	}
}

// search responds with the items that have one of the statuses. Which ones it returns
// without statuses is not documented.
func (l *linkedinAds) search(rw http.ResponseWriter, r *http.Request, all []object) {
	statuses := linkedinSearch.FindStringSubmatch(r.URL.RawQuery)
	l.refuseIf(statuses == nil, "wrong query")
	var matching []object
	for _, item := range all {
		status := item["status"].(string)
		if !strings.Contains(","+statuses[1]+",", ","+status+",") {
			continue
		}
		switch status {
		case "ARCHIVED":
			l.shows(archived)
		case "REMOVED":
			l.shows(deleted)
		}
		matching = append(matching, item)
	}
	l.list(rw, r, matching)
}

func (l *linkedinAds) list(rw http.ResponseWriter, r *http.Request, all []object) {
	query := r.URL.Query()
	from, err := 0, error(nil)
	if token := query.Get("pageToken"); token != "" {
		from, err = strconv.Atoi(token)
	}
	l.refuseIf(err != nil || from > len(all) || query.Get("pageSize") != "100", "wrong parameters")
	to := min(from+100, len(all))
	if from == 0 && len(all) > 100 {
		to = 60
		l.shows(shortPage)
	}
	response := object{"metadata": object{}, "elements": all[from:to]}
	if to < len(all) {
		response["metadata"] = object{"nextPageToken": strconv.Itoa(to)}
	}
	reply(rw, http.StatusOK, response)
}

func (l *linkedinAds) allCampaigns() (all []object) {
	for i := range l.campaigns {
		c := object{"id": 1000 + i, "name": "Campaign " + strconv.Itoa(i), "status": "PAUSED", "type": "SPONSORED_UPDATES", "objectiveType": "WEBSITE_VISIT", "account": "urn:li:sponsoredAccount:512345678", "campaignGroup": "urn:li:sponsoredCampaignGroup:7"}
		switch {
		case i == 0 && l.day == 2: // it had statistics on the first day
			c["status"] = "REMOVED"
		case i == 1:
			c["status"] = "ARCHIVED"
		case i%2 == 0:
			c["dailyBudget"] = object{"amount": "25", "currencyCode": "EUR"}
		}
		all = append(all, c)
	}
	return all
}

func (l *linkedinAds) allCreatives() (all []object) {
	for i := range 101 {
		c := object{"id": linkedinCreative + strconv.Itoa(i), "campaign": linkedinCampaign + "1000", "intendedStatus": "ACTIVE", "isServing": i%2 == 0, "createdAt": 1767225600000, "lastModifiedAt": 1767225600000, "content": object{"reference": "urn:li:share:" + strconv.Itoa(i)}}
		switch i {
		case 1:
			c["content"] = object{"textAd": object{"headline": "x"}}
			l.shows(absentKey)
		case 2:
			c["name"] = ""
			l.shows(oddValue)
		default:
			c["name"] = "Creative " + strconv.Itoa(i)
		}
		all = append(all, c)
	}
	return all
}

func linkedinDay(parts []string) time.Time {
	year, _ := strconv.Atoi(parts[0])
	month, _ := strconv.Atoi(parts[1])
	day, _ := strconv.Atoi(parts[2])
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

func (l *linkedinAds) statistics(rw http.ResponseWriter, r *http.Request) {
	parts := linkedinStatistics.FindStringSubmatch(r.URL.RawQuery)
	l.refuseIf(parts == nil, "wrong query")
	from, to := linkedinDay(parts[2:5]), linkedinDay(parts[5:8])
	l.refuseIf(from.After(to) || !to.Before(l.Now().Truncate(24*time.Hour)), "wrong range")
	elements := []any{}
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		for _, pivot := range l.active(parts[1], d) {
			date := object{"year": d.Year(), "month": d.Month(), "day": d.Day()}
			elements = append(elements, object{"dateRange": object{"start": date, "end": date}, "pivotValues": []any{pivot}, "impressions": 500, "clicks": 3, "costInLocalCurrency": "12.34", "externalWebsiteConversions": l.conversions(d), "conversionValueInLocalCurrency": "0.0", "oneClickLeads": 1})
		}
	}
	elements = elements[:min(len(elements), 15_000)]
	reply(rw, http.StatusOK, object{"paging": object{"count": 10, "start": 0, "links": []any{}}, "elements": elements})
}

// active are the campaigns or creatives that ran on a day: none before 2026. All creatives
// of a large account ran on one day.
func (l *linkedinAds) active(pivot string, d time.Time) (all []string) {
	switch {
	case d.Year() < 2026:
	case pivot == "CAMPAIGN":
		all = []string{linkedinCampaign + "1000", linkedinCampaign + "1001", linkedinCampaign + strconv.Itoa(1002+d.Day())}
	default:
		count := 3
		if d.Month() == 2 && d.Day() == 20 {
			count = 15_000
		}
		for i := range count {
			all = append(all, linkedinCreative+strconv.Itoa(i))
		}
	}
	return all
}

func (l *linkedinAds) conversions(d time.Time) int {
	if l.day == 2 && d.After(firstDay.AddDate(0, 0, -10)) {
		return 2
	}
	return 1
}

func (l *linkedinAds) nextDay() {
	l.day, l.second = 2, l.Now()
	l.campaigns++
}

func (l *linkedinAds) expected(day int) tables {
	want := tables{
		"accounts":        {{"id": "512345678", "currency": "EUR"}},
		"campaign_groups": {{"id": "7", "name": "Group", "status": "ACTIVE"}, {"id": "8", "status": "ARCHIVED"}},
	}
	for i, c := range l.allCampaigns() {
		budget := ""
		if c["dailyBudget"] != nil {
			budget = "25"
		}
		want.add("campaigns", row{"id": strconv.Itoa(1000 + i), "name": "Campaign " + strconv.Itoa(i), "status": c["status"].(string), "daily_budget": budget, "campaign_group": "urn:li:sponsoredCampaignGroup:7"})
	}
	for _, c := range l.allCreatives() {
		name, _ := c["name"].(string)
		reference, _ := c["content"].(object)["reference"].(string)
		want.add("creatives", row{"id": c["id"].(string), "name": name, "content_reference": reference})
	}
	today := firstDay.Truncate(24 * time.Hour)
	from, to := today.AddDate(0, 0, -90), today
	if day == 2 {
		from, to = today.AddDate(0, 0, -30), l.second.Truncate(24*time.Hour)
	}
	for d := from; d.Before(to); d = d.AddDate(0, 0, 1) {
		date := func(column, pivot string) row {
			return row{"year": strconv.Itoa(d.Year()), "month": strconv.Itoa(int(d.Month())), "day": strconv.Itoa(d.Day()), column: pivot, "cost": "12.34", "conversions": strconv.Itoa(l.conversions(d)), "leads": "1"}
		}
		for _, urn := range l.active("CAMPAIGN", d) {
			want.add("campaign_days", date("campaign", urn))
		}
		for _, urn := range l.active("CREATIVE", d) {
			want.add("creative_days", date("creative", urn))
		}
	}
	return want
}
