package apis

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// facebookAds has campaigns and insights of an ad account. A page with a next page has a
// link to it; the cursor after is there on the last page, too. Facts:
// https://developers.facebook.com/docs/graph-api/results,
// https://developers.facebook.com/docs/marketing-apis/rate-limiting.
type facebookAds struct {
	*world
	day       int
	second    time.Time // when the second day begins
	campaigns []map[string]any
}

const facebookAccount = "/v25.0/act_123456789012345/"

func newFacebookAds(w *world) imitation {
	f := &facebookAds{world: w, day: 1}
	for i := range 230 {
		f.add(i, "PAUSED")
	}
	return f
}

func (f *facebookAds) add(i int, status string) {
	f.campaigns = append(f.campaigns, map[string]any{"id": "c" + strconv.Itoa(i), "name": "Campaign " + strconv.Itoa(i), "objective": "OUTCOME_SALES", "effective_status": status, "created_time": "2026-01-01T10:00:00+0100", "updated_time": "2026-01-02T10:00:00+0100"})
}

func (f *facebookAds) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	query := r.URL.Query()
	switch {
	case r.Host != "graph.facebook.com" || r.Method != http.MethodGet:
		f.refuse(rw, r, http.StatusNotFound, "no such host")
	case len(query["access_token"]) != 1 || query.Get("access_token") != "your-access-token":
		f.refuse(rw, r, http.StatusBadRequest, "invalid OAuth access token")
	case r.URL.Path == facebookAccount+"campaigns":
		if query.Get("fields") != "id,name,objective,effective_status,created_time,updated_time" || query.Get("effective_status") != `["ACTIVE","PAUSED","ARCHIVED","IN_PROCESS","WITH_ISSUES"]` {
			f.refuse(rw, r, http.StatusBadRequest, "wrong parameters")
			return
		}
		f.page(rw, r, "campaigns", 613, f.campaigns)
	case r.URL.Path == facebookAccount+"insights":
		f.insights(rw, r)
	default:
		f.refuse(rw, r, http.StatusNotFound, "no such object")
	}
}

func (f *facebookAds) insights(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var span struct{ Since, Until string }
	err := json.Unmarshal([]byte(query.Get("time_range")), &span)
	day, err2 := time.Parse(time.DateOnly, span.Since)
	if err != nil || err2 != nil || span.Since != span.Until || query.Get("level") != "ad" || query.Get("time_increment") != "1" || query.Get("fields") != "campaign_id,adset_id,ad_id,ad_name,impressions,clicks,spend,reach,actions" {
		f.refuse(rw, r, http.StatusBadRequest, fmt.Sprintf("wrong parameters: %+v", span))
		return
	}
	code := map[int]int{3: 17, 4: 4, 5: 80000, 6: 2}[day.Day()]
	f.page(rw, r, "insights "+span.Since, code, f.ads(day))
}

// ads are the insights of a day. Those of the last 20 days change with late conversions.
func (f *facebookAds) ads(day time.Time) []map[string]any {
	count := 5
	switch day.Day() {
	case 1, 11, 21:
		count = 130
	case 13:
		count = 0
	}
	var all []map[string]any
	for i := range count {
		ad := map[string]any{"date_start": day.Format(time.DateOnly), "date_stop": day.Format(time.DateOnly), "campaign_id": "c" + strconv.Itoa(i), "adset_id": "s" + strconv.Itoa(i), "ad_id": "a" + strconv.Itoa(i), "ad_name": "Ad", "impressions": strconv.Itoa(1000 + i), "clicks": "5", "spend": "1.25", "reach": "900"}
		if i%2 == 0 { // an ad without actions has no such member
			ad["actions"] = []any{map[string]any{"action_type": "link_click", "value": "4"}, map[string]any{"action_type": "purchase", "value": f.purchases(day)}}
		}
		all = append(all, ad)
	}
	return all
}

func (f *facebookAds) purchases(day time.Time) string {
	if f.day == 2 && day.After(firstDay.AddDate(0, 0, -20)) {
		return "2"
	}
	return "1"
}

// page answers with a page of a list. The first request of each list fails with the code,
// 0 for none.
func (f *facebookAds) page(rw http.ResponseWriter, r *http.Request, name string, code int, list []map[string]any) {
	key := fmt.Sprintf("%d %s", f.day, name)
	f.requests[key]++
	rw.Header().Set("X-Business-Use-Case-Usage", `{"123456789012345":[{"type":"ads_insights","call_count":100,"estimated_time_to_regain_access":5}]}`)
	if code != 0 && f.requests[key] == 1 {
		reply(rw, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": "User request limit reached", "type": "OAuthException", "code": code, "fbtrace_id": "x"}})
		return
	}
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	from := 0
	if after := query.Get("after"); after != "" {
		text, err2 := base64.StdEncoding.DecodeString(after)
		if err2 == nil {
			from, err2 = strconv.Atoi(string(text))
		}
		if err2 != nil || from < 0 || from >= len(list) {
			f.refuse(rw, r, http.StatusBadRequest, "wrong cursor "+after)
			return
		}
	}
	if err != nil || limit != 100 {
		f.refuse(rw, r, http.StatusBadRequest, "wrong limit")
		return
	}
	if len(list) == 0 {
		reply(rw, http.StatusOK, map[string]any{"data": []any{}})
		return
	}
	to := min(from+limit, len(list))
	if from == 0 && name == "campaigns" {
		to = 7 // a page may have fewer items than the limit, and yet there is a next one
	}
	data := list[from:to]
	if name == "insights 2026-02-12" && query.Get("after") == "" {
		data, to = list[:0], 0 // a page may be empty, and yet there is a next one
	}
	paging := map[string]any{"cursors": map[string]any{"before": "x", "after": base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(to)))}}
	if to < len(list) {
		query.Set("after", base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(to))))
		paging["next"] = address(r.Host, r.URL.Path+"?"+query.Encode())
	}
	reply(rw, http.StatusOK, map[string]any{"data": data, "paging": paging})
}

func (f *facebookAds) nextDay() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.day, f.second = 2, f.Now()
	f.add(500, "ACTIVE")
	f.campaigns = f.campaigns[1:] // deleted
}

func (f *facebookAds) expected(day int) tables {
	want := tables{}
	for _, c := range f.campaigns {
		want["campaigns"] = append(want["campaigns"], row{"id": c["id"].(string), "name": c["name"].(string), "effective_status": c["effective_status"].(string)})
	}
	today := firstDay.Truncate(24 * time.Hour)
	from, to := today.AddDate(0, 0, -30), today
	if day == 2 {
		from, to = today.AddDate(0, 0, -28), f.second.Truncate(24*time.Hour)
	}
	for d := from; d.Before(to); d = d.AddDate(0, 0, 1) {
		for _, ad := range f.ads(d) {
			date, id := ad["date_start"].(string), ad["ad_id"].(string)
			want["ad_insights"] = append(want["ad_insights"], row{"date": date, "ad_id": id, "impressions": ad["impressions"].(string), "spend": "1.25"})
			if ad["actions"] != nil {
				want["ad_actions"] = append(want["ad_actions"], row{"ad_day": date + "," + id, "action_type": "link_click", "value": "4"}, row{"ad_day": date + "," + id, "action_type": "purchase", "value": f.purchases(d)})
			}
		}
	}
	return want
}
