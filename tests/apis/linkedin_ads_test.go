package apis

import (
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// linkedinAds has lists with a token for the next page, and statistics whose query is
// written in the syntax of Rest.li, which is not percent-encoded. Facts:
// https://learn.microsoft.com/en-us/linkedin/marketing/integrations/ads-reporting/ads-reporting,
// https://learn.microsoft.com/en-us/linkedin/marketing/integrations/ads/cursor-based-pagination.
type linkedinAds struct {
	*world
	day       int
	second    time.Time // when the second day begins
	campaigns int
}

const linkedinCampaign = "urn:li:sponsoredCampaign:"

var linkedinStatistics = regexp.MustCompile(`^q=analytics&pivot=CAMPAIGN&timeGranularity=DAILY` +
	`&dateRange=\(start:\(year:(\d{4}),month:([1-9]\d?),day:([1-9]\d?)\),end:\(year:(\d{4}),month:([1-9]\d?),day:([1-9]\d?)\)\)` +
	`&accounts=List\(urn%3Ali%3AsponsoredAccount%3A512345678\)` +
	`&fields=dateRange,pivotValues,impressions,clicks,costInLocalCurrency,externalWebsiteConversions$`)

func newLinkedinAds(w *world) imitation {
	return &linkedinAds{world: w, day: 1, campaigns: 230}
}

func (l *linkedinAds) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests[r.URL.RequestURI()]++
	switch {
	case r.Host != "api.linkedin.com" || r.Method != http.MethodGet:
		l.refuse(rw, r, http.StatusNotFound, "no such host or method")
	case r.Header.Get("LinkedIn-Version") != "202606" || r.Header.Get("X-Restli-Protocol-Version") != "2.0.0":
		l.refuse(rw, r, http.StatusUpgradeRequired, "NONEXISTENT_VERSION")
	case r.Header.Get("Authorization") != "Bearer your-access-token":
		l.refuse(rw, r, http.StatusUnauthorized, "INVALID_ACCESS_TOKEN")
	case l.requests[r.URL.RequestURI()] == 1 && len(l.requests)%4 == 0:
		reply(rw, http.StatusTooManyRequests, map[string]any{"status": 429, "code": "TOO_MANY_REQUESTS", "message": "Resource level throttle limit"})
	case r.URL.Path == "/rest/adAccounts/512345678/adCampaignGroups":
		l.list(rw, r, []any{map[string]any{"id": 7, "name": "Group", "status": "ACTIVE"}})
	case r.URL.Path == "/rest/adAccounts/512345678/adCampaigns":
		l.list(rw, r, l.allCampaigns())
	case r.URL.Path == "/rest/adAnalytics":
		l.statistics(rw, r)
	default:
		l.refuse(rw, r, http.StatusNotFound, "no such resource")
	}
}

// list answers with a page of a list. The last one has no token.
func (l *linkedinAds) list(rw http.ResponseWriter, r *http.Request, all []any) {
	query := r.URL.Query()
	from, err := 0, error(nil)
	if token := query.Get("pageToken"); token != "" {
		from, err = strconv.Atoi(token)
	}
	if err != nil || from > len(all) || query.Get("q") != "search" || query.Get("pageSize") != "100" {
		l.refuse(rw, r, http.StatusBadRequest, "wrong parameters")
		return
	}
	to := min(from+100, len(all))
	answer := map[string]any{"metadata": map[string]any{}, "elements": all[from:to]}
	if to < len(all) {
		answer["metadata"] = map[string]any{"nextPageToken": strconv.Itoa(to)}
	}
	reply(rw, http.StatusOK, answer)
}

func (l *linkedinAds) allCampaigns() (all []any) {
	for i := range l.campaigns {
		all = append(all, map[string]any{"id": 1000 + i, "name": "Campaign " + strconv.Itoa(i), "status": "PAUSED", "type": "SPONSORED_UPDATES", "account": "urn:li:sponsoredAccount:512345678", "campaignGroup": "urn:li:sponsoredCampaignGroup:7"})
	}
	return all
}

// linkedinDay is a day from the texts of its year, month and day.
func linkedinDay(parts []string) time.Time {
	year, _ := strconv.Atoi(parts[0])
	month, _ := strconv.Atoi(parts[1])
	day, _ := strconv.Atoi(parts[2])
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

func (l *linkedinAds) statistics(rw http.ResponseWriter, r *http.Request) {
	parts := linkedinStatistics.FindStringSubmatch(r.URL.RawQuery)
	if parts == nil {
		l.refuse(rw, r, http.StatusBadRequest, "wrong query")
		return
	}
	from, to := linkedinDay(parts[1:4]), linkedinDay(parts[4:7])
	if from.After(to) || !to.Before(l.Now().Truncate(24*time.Hour)) {
		l.refuse(rw, r, http.StatusBadRequest, "wrong range")
		return
	}
	elements := []any{}
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		for _, id := range l.active(d) {
			date := map[string]any{"year": d.Year(), "month": d.Month(), "day": d.Day()}
			elements = append(elements, map[string]any{"dateRange": map[string]any{"start": date, "end": date}, "pivotValues": []any{linkedinCampaign + id}, "impressions": 500, "clicks": 3, "costInLocalCurrency": "12.34", "externalWebsiteConversions": l.conversions(d)})
		}
	}
	reply(rw, http.StatusOK, map[string]any{"paging": map[string]any{"count": 10, "start": 0, "links": []any{}}, "elements": elements})
}

// active are the campaigns that ran on a day: none before 2026.
func (l *linkedinAds) active(d time.Time) []string {
	if d.Year() < 2026 {
		return nil
	}
	return []string{"1000", "1001", strconv.Itoa(1002 + d.Day())}
}

// conversions of the last days grow on the second day.
func (l *linkedinAds) conversions(d time.Time) int {
	if l.day == 2 && d.After(firstDay.AddDate(0, 0, -10)) {
		return 2
	}
	return 1
}

func (l *linkedinAds) nextDay() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.day, l.second = 2, l.Now()
	l.campaigns++
}

func (l *linkedinAds) expected(day int) tables {
	want := tables{"campaign_groups": {{"id": "7", "name": "Group", "status": "ACTIVE"}}}
	for i := range l.campaigns {
		want["campaigns"] = append(want["campaigns"], row{"id": strconv.Itoa(1000 + i), "name": "Campaign " + strconv.Itoa(i), "campaign_group": "urn:li:sponsoredCampaignGroup:7"})
	}
	today := firstDay.Truncate(24 * time.Hour)
	from, to := today.AddDate(0, 0, -90), today
	if day == 2 {
		from, to = today.AddDate(0, 0, -30), l.second.Truncate(24*time.Hour)
	}
	for d := from; d.Before(to); d = d.AddDate(0, 0, 1) {
		for _, id := range l.active(d) {
			want["campaign_days"] = append(want["campaign_days"], row{"year": strconv.Itoa(d.Year()), "month": strconv.Itoa(int(d.Month())), "day": strconv.Itoa(d.Day()), "campaign": linkedinCampaign + id, "cost": "12.34", "conversions": strconv.Itoa(l.conversions(d))})
		}
	}
	return want
}
