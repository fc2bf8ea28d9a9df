package apis

import (
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// tiktokAds answers every request with 200: code is 0, or says what went wrong. Facts:
// https://business-api.tiktok.com/portal/docs/run-a-synchronous-report/v1.3,
// https://github.com/tiktok/tiktok-business-api-sdk/blob/main/js_sdk/docs/ReportingApi.md.
type tiktokAds struct {
	*world
	day       int
	second    time.Time // when the second day begins
	campaigns int
}

func newTiktokAds(w *world) imitation {
	return &tiktokAds{world: w, day: 1, campaigns: 1000} // exactly one page; two on the second day
}

func (t *tiktokAds) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	query := r.URL.Query()
	t.requests[r.URL.RawQuery]++
	switch {
	case r.Host != "business-api.tiktok.com" || r.Method != http.MethodGet:
		t.refuse(rw, r, http.StatusNotFound, "no such host or method")
	case r.Header.Get("Access-Token") != "your-access-token" || r.Header.Get("Authorization") != "":
		t.refuse(rw, r, http.StatusOK, "access token is incorrect or has been revoked")
	case query.Get("advertiser_id") != "7000000000000000000":
		t.refuse(rw, r, http.StatusOK, "no permission to operate the advertiser")
	case query.Get("page") != "1" && t.requests[r.URL.RawQuery] < 3:
		reply(rw, http.StatusOK, map[string]any{"code": 40100, "message": "Too many requests. Please retry in some time.", "request_id": "x", "data": map[string]any{}})
	case r.URL.Path == "/open_api/v1.3/campaign/get/":
		t.page(rw, r, t.allCampaigns())
	case r.URL.Path == "/open_api/v1.3/report/integrated/get/":
		t.report(rw, r)
	default:
		t.refuse(rw, r, http.StatusNotFound, "no such path")
	}
}

// page answers with a page of a list. After the last one there is an empty list.
func (t *tiktokAds) page(rw http.ResponseWriter, r *http.Request, all []any) {
	number, err := strconv.Atoi(r.URL.Query().Get("page"))
	size, err2 := strconv.Atoi(r.URL.Query().Get("page_size"))
	if err != nil || err2 != nil || number < 1 || size < 1 || size > 1000 {
		t.refuse(rw, r, http.StatusOK, "page: wrong value")
		return
	}
	from := min((number-1)*size, len(all))
	reply(rw, http.StatusOK, map[string]any{"code": 0, "message": "OK", "request_id": "x", "data": map[string]any{
		"list":      all[from:min(from+size, len(all))],
		"page_info": map[string]any{"page": number, "page_size": size, "total_number": len(all), "total_page": (len(all) + size - 1) / size},
	}})
}

func (t *tiktokAds) allCampaigns() []any {
	all := []any{}
	for i := range t.campaigns {
		all = append(all, map[string]any{"campaign_id": strconv.Itoa(i), "campaign_name": "Campaign", "objective_type": "TRAFFIC", "operation_status": "ENABLE", "budget": 50.5, "create_time": "2026-01-01 00:00:00", "modify_time": "2026-01-01 00:00:00"})
	}
	return all
}

func (t *tiktokAds) report(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	from, err := time.Parse(time.DateOnly, query.Get("start_date"))
	to, err2 := time.Parse(time.DateOnly, query.Get("end_date"))
	want := url.Values{
		"report_type": {"BASIC"}, "service_type": {"AUCTION"}, "data_level": {"AUCTION_AD"}, "dimensions": {`["ad_id","stat_time_day"]`},
		"metrics": {`["campaign_id","adgroup_id","ad_name","spend","impressions","clicks","conversion"]`},
	}
	for _, name := range []string{"advertiser_id", "start_date", "end_date", "page", "page_size"} {
		want.Set(name, query.Get(name))
	}
	if err != nil || err2 != nil || query.Encode() != want.Encode() || from.After(to) || to.Sub(from) >= 30*24*time.Hour || !to.Before(t.Now()) {
		t.refuse(rw, r, http.StatusOK, "wrong parameters")
		return
	}
	rows := []any{}
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		for i := range t.ads(d) {
			rows = append(rows, map[string]any{
				"dimensions": map[string]any{"ad_id": strconv.Itoa(i), "stat_time_day": d.Format(time.DateTime)},
				"metrics":    map[string]any{"campaign_id": "1", "adgroup_id": "2", "ad_name": "Ad", "spend": "3.21", "impressions": "900", "clicks": "7", "conversion": t.conversions(d)},
			})
		}
	}
	t.page(rw, r, rows)
}

// ads is how many ads ran on a day.
func (t *tiktokAds) ads(d time.Time) int {
	if d.Before(firstDay.AddDate(0, 0, -31)) {
		return 2
	}
	return 5
}

// conversions of the last days grow on the second day.
func (t *tiktokAds) conversions(d time.Time) string {
	if t.day == 2 && d.After(firstDay.AddDate(0, 0, -7)) {
		return "2"
	}
	return "1"
}

func (t *tiktokAds) nextDay() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.day, t.second = 2, t.Now()
	t.campaigns++
}

func (t *tiktokAds) expected(day int) tables {
	want := tables{}
	for i := range t.campaigns {
		want["campaigns"] = append(want["campaigns"], row{"id": strconv.Itoa(i), "budget": "50.5"})
	}
	today := firstDay.Truncate(24 * time.Hour)
	from, to := today.AddDate(0, 0, -60), today
	if day == 2 {
		from, to = today.AddDate(0, 0, -28), t.second.Truncate(24*time.Hour)
	}
	for d := from; d.Before(to); d = d.AddDate(0, 0, 1) {
		for i := range t.ads(d) {
			want["ad_days"] = append(want["ad_days"], row{"day": d.Format(time.DateTime), "ad_id": strconv.Itoa(i), "spend": "3.21", "conversions": t.conversions(d)})
		}
	}
	return want
}
