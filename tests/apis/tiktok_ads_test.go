package apis

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// tiktokAds responds to every request with 200: code is 0, or says what went wrong. Lists and
// reports leave out what was deleted, unless a filter names all statuses. A metric that
// has no value is "-". Facts:
// https://business-api.tiktok.com/portal/docs/run-a-synchronous-report/v1.3,
// https://github.com/airbytehq/airbyte/pull/65623 (the filters of reports),
// https://github.com/airbytehq/airbyte/pull/32596 (the filters of lists),
// https://github.com/PostHog/posthog/pull/64006 (the codes that pass).
type tiktokAds struct {
	*world
	day       int
	second    time.Time // when the second day begins
	campaigns int
	// gone are ads that are deleted.
	gone map[int]bool
}

const tiktokAdvertiser = "7000000000000000000"

// tiktokPassing are codes of errors that pass.
var tiktokPassing = []int{40100, 50000, 50002, 51001}

func newTiktokAds(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "the configuration has no children: every list belongs to the one ad account that authorized the app",
		missingParent: "the configuration has no children: every list belongs to the one ad account that authorized the app",
		shortPage:     "pages are parts of a list with a known total: only the last one is shorter, and a total that is not reached ends the run",
		expiredToken:  "a token is valid until the advertiser takes the authorization back, and nothing renews it then",
	}
	// Exactly one page of campaigns; two on the second day.
	return &tiktokAds{world: w, day: 1, campaigns: 1000, gone: map[int]bool{1: true}}
}

func (t *tiktokAds) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	t.requests[r.URL.RequestURI()]++
	count := t.requests[r.URL.RequestURI()]
	passing := query.Get("page") != "1" || r.URL.Path == "/open_api/v1.3/ad/get/"
	t.refuseIf(r.Host != "business-api.tiktok.com" || r.Method != http.MethodGet, "no such host or method")
	t.refuseIf(r.Header.Get("Access-Token") != "your-access-token" ||
		r.Header.Get("Authorization") != "", "access token is incorrect or has been revoked")
	t.refuseIf(query.Get("advertiser_id") != tiktokAdvertiser && r.URL.Path != "/open_api/v1.3/advertiser/info/",
		"no permission to operate the advertiser")
	switch {
	case passing && count <= len(tiktokPassing):
		t.shows(errorIn200)
		reply(rw, http.StatusOK, object{"code": tiktokPassing[count-1], "message": "Please retry in some time.", "request_id": "x", "data": object{}})
	case passing && count == len(tiktokPassing)+1: // of what is in front of the service
		reply(rw, http.StatusServiceUnavailable, object{"error": "upstream connect error"})
	case r.URL.Path == "/open_api/v1.3/advertiser/info/" && query.Get("advertiser_ids") == `["`+tiktokAdvertiser+`"]`:
		tiktokReply(rw, object{"list": []any{object{"advertiser_id": tiktokAdvertiser, "name": "Account", "currency": "EUR", "timezone": "Etc/GMT-1", "display_timezone": "Europe/Prague", "status": "STATUS_ENABLE"}}})
	case r.URL.Path == "/open_api/v1.3/campaign/get/":
		t.list(rw, r, "CAMPAIGN_STATUS_ALL", t.allCampaigns())
	case r.URL.Path == "/open_api/v1.3/adgroup/get/":
		t.list(rw, r, "ADGROUP_STATUS_ALL", t.allAdGroups())
	case r.URL.Path == "/open_api/v1.3/ad/get/":
		t.list(rw, r, "AD_STATUS_ALL", t.allAds())
	case r.URL.Path == "/open_api/v1.3/report/integrated/get/":
		t.report(rw, r)
	default:
		t.refuse("no such path")
	}
}

func tiktokReply(rw http.ResponseWriter, data object) {
	reply(rw, http.StatusOK, object{"code": 0, "message": "OK", "request_id": "x", "data": data})
}

// list responds with the objects of the status in the filter. Without one, deleted objects
// are left out.
func (t *tiktokAds) list(rw http.ResponseWriter, r *http.Request, every string, objects []object) {
	var filter map[string]string
	text := r.URL.Query().Get("filtering")
	t.refuseIf(text != "" && (json.Unmarshal([]byte(text), &filter) != nil || len(filter) != 1 || filter["secondary_status"] != every),
		"filtering: wrong value")
	all := []any{}
	for _, o := range objects {
		if strings.HasSuffix(o["secondary_status"].(string), "_DELETE") {
			if text == "" {
				continue
			}
			t.shows(deleted)
		}
		t.showsIf(o["operation_status"] == "DISABLE", archived)
		t.showsIf(every == "ADGROUP_STATUS_ALL" && o["optimization_goal"] == nil, absentKey)
		all = append(all, o)
	}
	t.page(rw, r, all)
}

func (t *tiktokAds) page(rw http.ResponseWriter, r *http.Request, all []any) {
	number, err := strconv.Atoi(r.URL.Query().Get("page"))
	size, err2 := strconv.Atoi(r.URL.Query().Get("page_size"))
	t.refuseIf(err != nil || err2 != nil || number < 1 || size < 1 || size > 1000, "page: wrong value")
	from := min((number-1)*size, len(all))
	tiktokReply(rw, object{
		"list":      cut(all, from, size),
		"page_info": object{"page": number, "page_size": size, "total_number": len(all), "total_page": (len(all) + size - 1) / size},
	})
}

func tiktokObject(kind, id, status string) object {
	return object{kind + "_id": id, kind + "_name": "Name of " + id, "operation_status": status, "secondary_status": "STATUS_" + status, "create_time": "2026-01-01 00:00:00", "modify_time": "2026-01-01 00:00:00"}
}

func (t *tiktokAds) allCampaigns() (all []object) {
	for i := range t.campaigns {
		c := tiktokObject("campaign", strconv.Itoa(i), []string{"ENABLE", "DISABLE"}[i%2])
		c["objective_type"], c["budget"] = "TRAFFIC", 50.5
		if i == 7 {
			c["secondary_status"] = "CAMPAIGN_STATUS_DELETE"
		}
		all = append(all, c)
	}
	return all
}

func (t *tiktokAds) allAdGroups() []object {
	with, without := tiktokObject("adgroup", "2", "ENABLE"), tiktokObject("adgroup", "3", "DISABLE")
	with["optimization_goal"], with["budget"], with["campaign_id"] = "CLICK", 20, "1"
	without["budget"], without["campaign_id"], without["secondary_status"] = 0, "1", "ADGROUP_STATUS_DELETE"
	return []object{with, without}
}

func (t *tiktokAds) allAds() (all []object) {
	for i := range 40 {
		ad := tiktokObject("ad", strconv.Itoa(i), "ENABLE")
		ad["campaign_id"], ad["adgroup_id"] = "1", "2"
		if t.gone[i] {
			ad["secondary_status"] = "AD_STATUS_DELETE"
		}
		all = append(all, ad)
	}
	return all
}

// report responds with the rows of a level in at most 30 days.
func (t *tiktokAds) report(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	from, err := time.Parse(time.DateOnly, query.Get("start_date"))
	to, err2 := time.Parse(time.DateOnly, query.Get("end_date"))
	ofAds := query.Get("data_level") == "AUCTION_AD"
	want := url.Values{
		"report_type": {"BASIC"}, "service_type": {"AUCTION"}, "data_level": {"AUCTION_ADVERTISER"}, "dimensions": {`["advertiser_id","stat_time_day"]`},
		"metrics": {`["spend","impressions","clicks"]`},
	}
	if ofAds {
		want.Set("data_level", "AUCTION_AD")
		want.Set("dimensions", `["ad_id","stat_time_day"]`)
		want.Set("metrics", `["campaign_id","campaign_name","adgroup_id","adgroup_name","ad_name","spend","impressions","clicks","conversion"]`)
		want.Set("filtering", query.Get("filtering"))
	}
	for _, name := range []string{"advertiser_id", "start_date", "end_date", "page", "page_size"} {
		want.Set(name, query.Get(name))
	}
	t.refuseIf(err != nil || err2 != nil || query.Encode() != want.Encode() || from.After(to) ||
		to.Sub(from) >= 30*24*time.Hour || !to.Before(t.Now()), "wrong parameters")
	every := query.Get("filtering") == `[{"field_name":"ad_status","filter_type":"IN","filter_value":"[\"STATUS_ALL\"]"}]`
	rows := []any{}
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		if !ofAds {
			rows = append(rows, object{
				"dimensions": object{"advertiser_id": tiktokAdvertiser, "stat_time_day": d.Format(time.DateTime)},
				"metrics":    object{"spend": t.spend(d), "impressions": "9000", "clicks": "70"},
			})
			continue
		}
		for i := range t.ads(d) {
			if t.gone[i] && !every {
				continue
			}
			rows = append(rows, object{
				"dimensions": object{"ad_id": strconv.Itoa(i), "stat_time_day": d.Format(time.DateTime)},
				"metrics":    object{"campaign_id": "1", "campaign_name": "Campaign", "adgroup_id": "2", "adgroup_name": "Group", "ad_name": "Ad", "spend": "3.20", "impressions": "900", "clicks": "7", "conversion": t.conversions(d, i)},
			})
		}
	}
	// the first ad has no conversions
	t.showsIf(ofAds && len(rows) > 0, oddValue)
	// a page ends within a day
	t.showsIf(len(rows) > 1000, tie)
	t.page(rw, r, rows)
}

func (t *tiktokAds) ads(d time.Time) int {
	if d.Before(firstDay.AddDate(0, 0, -31)) {
		return 2
	}
	return 38
}

func (t *tiktokAds) spend(d time.Time) string {
	return strconv.FormatFloat(3.2*float64(t.ads(d)), 'f', 2, 64)
}

func (t *tiktokAds) conversions(d time.Time, ad int) string {
	switch {
	case ad == 0:
		return "-"
	case t.day == 2 && d.After(firstDay.AddDate(0, 0, -7)):
		return "2"
	}
	return "1"
}

func (t *tiktokAds) nextDay() {
	t.day, t.second = 2, t.Now()
	t.campaigns++
	t.gone[3] = true
}

func (t *tiktokAds) expected(day int) tables {
	want := tables{"accounts": {{"id": tiktokAdvertiser, "currency": "EUR", "timezone": "Europe/Prague"}}}
	for i := range t.campaigns {
		want.add("campaigns", row{"id": strconv.Itoa(i), "budget": "50.5"})
	}
	want["ad_groups"] = []row{{"id": "2", "optimization_goal": "CLICK", "campaign_id": "1"}, {"id": "3", "optimization_goal": "", "operation_status": "DISABLE"}}
	for _, ad := range t.allAds() {
		want.add("ads", row{"id": ad["ad_id"].(string), "ad_group_id": "2", "secondary_status": ad["secondary_status"].(string)})
	}
	today := firstDay.Truncate(24 * time.Hour)
	from, to := today.AddDate(0, 0, -60), today
	if day == 2 {
		from, to = today.AddDate(0, 0, -28), t.second.Truncate(24*time.Hour)
	}
	for d := from; d.Before(to); d = d.AddDate(0, 0, 1) {
		want.add("account_days", row{"day": d.Format(time.DateTime), "account_id": tiktokAdvertiser, "spend": t.spend(d)})
		for i := range t.ads(d) {
			want.add("ad_days", row{"day": d.Format(time.DateTime), "ad_id": strconv.Itoa(i), "spend": "3.20", "campaign_name": "Campaign", "conversions": t.conversions(d, i)})
		}
	}
	return want
}
