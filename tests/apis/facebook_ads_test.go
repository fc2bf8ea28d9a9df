package apis

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// facebookAds has the objects and the insights of an ad account. A page with a next page has a
// link to it; the cursor after is there on the last page, too. Lists return the statuses that are
// requested, and never what was deleted. Insights of the level ad leave out archived and deleted
// ads without a filter by status; those of the account have everything.
type facebookAds struct {
	*world
	day    int
	second time.Time // when the second day begins
	lists  map[string][]facebookObject
	// limited is until when a list refuses requests.
	limited map[string]time.Time
}

// facebookObject has the fields of a campaign, an ad set or an ad.
type facebookObject object

const facebookAccount = "/v26.0/act_123456789012345"

var (
	// facebookFields are the fields that exist, by list.
	facebookFields = map[string]string{
		"campaigns": "id,name,objective,effective_status,daily_budget,lifetime_budget,created_time,updated_time",
		"adsets":    "id,name,campaign_id,effective_status,optimization_goal,daily_budget,lifetime_budget,created_time,updated_time",
		"ads":       "id,name,campaign_id,adset_id,effective_status,creative{id},created_time,updated_time",
	}
	// facebookStatuses are the effective statuses that exist, by list.
	facebookStatuses = map[string][]string{
		"campaigns": {"ACTIVE", "PAUSED", "DELETED", "ARCHIVED", "IN_PROCESS", "WITH_ISSUES"},
		"adsets":    {"ACTIVE", "PAUSED", "DELETED", "ARCHIVED", "CAMPAIGN_PAUSED", "IN_PROCESS", "WITH_ISSUES"},
		"ads":       {"ACTIVE", "PAUSED", "DELETED", "ARCHIVED", "CAMPAIGN_PAUSED", "ADSET_PAUSED", "DISAPPROVED", "IN_PROCESS", "PENDING_BILLING_INFO", "PENDING_REVIEW", "PREAPPROVED", "WITH_ISSUES"},
	}
)

func newFacebookAds(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "the configuration has no children: each list belongs to the one account that the token must be able to read",
		missingParent: "the configuration has no children: each list belongs to the one account that the token must be able to read",
		errorIn200:    "the Graph API sends errors with the status 400, 403 or 500, and insights without a report are synchronous",
		expiredToken:  "no request renews the token of a system user; code 190 ends the run, and a person generates a new token",
	}
	f := &facebookAds{world: w, day: 1, lists: map[string][]facebookObject{}, limited: map[string]time.Time{}}
	for i := range 230 {
		f.addCampaign(i, []string{"PAUSED", "ARCHIVED", "ACTIVE"}[i%3])
	}
	for i := range 100 { // exactly one page
		set := facebookObject{"id": "s" + strconv.Itoa(i), "campaign_id": "c" + strconv.Itoa(i), "effective_status": "CAMPAIGN_PAUSED", "optimization_goal": "OFFSITE_CONVERSIONS"}
		if i%2 == 0 { // of the two budgets, the one that is not used is 0
			set["daily_budget"], set["lifetime_budget"] = "5000", "0"
		}
		if i == 9 {
			set["effective_status"] = "ARCHIVED"
		}
		f.add("adsets", set)
	}
	for i := range 130 {
		f.add("ads", facebookObject{"id": "a" + strconv.Itoa(i), "campaign_id": "c" + strconv.Itoa(i), "adset_id": "s" + strconv.Itoa(i), "effective_status": facebookAdStatus(i), "creative": object{"id": "k" + strconv.Itoa(i)}})
	}
	return f
}

func facebookAdStatus(i int) string {
	switch i {
	case 1, 101:
		return "ARCHIVED"
	case 2, 102:
		return "DELETED"
	case 3:
		return "DISAPPROVED"
	}
	return "ACTIVE"
}

func (f *facebookAds) addCampaign(i int, status string) {
	f.add("campaigns", facebookObject{"id": "c" + strconv.Itoa(i), "objective": "OUTCOME_SALES", "effective_status": status})
}

func (f *facebookAds) add(list string, o facebookObject) {
	o["name"] = "Name of " + o["id"].(string)
	o["created_time"], o["updated_time"] = "2026-01-01T10:00:00+0100", "2026-01-02T10:00:00+0100"
	f.lists[list] = append(f.lists[list], o)
}

func (f *facebookAds) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	path, ofAccount := strings.CutPrefix(r.URL.Path, facebookAccount)
	name := strings.TrimPrefix(path, "/")
	f.refuseIf(r.Host != "graph.facebook.com" || r.Method != http.MethodGet || !ofAccount,
		"no such host or object")
	f.refuseIf(len(query["access_token"]) != 1 || query.Get("access_token") != "your-access-token",
		"invalid OAuth access token")
	switch {
	case path == "" && query.Get("fields") == "id,name,currency,timezone_name,account_status":
		reply(rw, http.StatusOK, object{"id": "act_123456789012345", "name": "Account", "currency": "EUR", "timezone_name": "Europe/Prague", "account_status": 1})
	case name == "insights":
		f.insights(rw, r)
	case f.lists[name] != nil && query.Get("fields") == facebookFields[name]:
		f.list(rw, r, name)
	default:
		f.refuse("no such path or field")
	}
}

func (f *facebookAds) list(rw http.ResponseWriter, r *http.Request, name string) {
	statuses := facebookStatuses[name]
	if text := r.URL.Query().Get("effective_status"); text != "" {
		var wanted []string
		err := json.Unmarshal([]byte(text), &wanted)
		f.refuseIf(err != nil || slices.Contains(wanted, "DELETED"), "deleted objects cannot be requested")
		for _, status := range wanted {
			f.refuseIf(!slices.Contains(statuses, status), "no such status "+status)
		}
		statuses = wanted
	} else {
		statuses = without(statuses, func(s string) bool { return s == "ARCHIVED" })
	}
	all := []object{}
	for _, o := range f.lists[name] {
		status := o["effective_status"].(string)
		if status == "DELETED" || !slices.Contains(statuses, status) {
			continue
		}
		f.showsIf(status == "ARCHIVED", archived)
		f.showsIf(o["lifetime_budget"] == "0", oddValue)
		all = append(all, o)
	}
	f.page(rw, r, name, map[string]int{"campaigns": 613, "ads": 1}[name], all)
}

func (f *facebookAds) insights(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var span struct{ Since, Until string }
	err := json.Unmarshal([]byte(query.Get("time_range")), &span)
	since, err2 := time.Parse(time.DateOnly, span.Since)
	until, err3 := time.Parse(time.DateOnly, span.Until)
	f.refuseIf(err != nil || err2 != nil || err3 != nil || until.Before(since) ||
		!until.Before(f.Now().Truncate(24*time.Hour)) ||
		query.Get("time_increment") != "1", fmt.Sprintf("wrong range: %+v", span))
	switch level, fields := query.Get("level"), query.Get("fields"); {
	case level == "account" && fields == "account_id,impressions,clicks,spend,reach":
		var rows []object
		for d := since; !d.After(until); d = d.AddDate(0, 0, 1) {
			rows = append(rows, f.total(d)...)
		}
		f.page(rw, r, "account insights", 80000, rows)
	case level == "ad" && fields == "campaign_id,campaign_name,adset_id,adset_name,ad_id,ad_name,impressions,clicks,spend,reach,actions,action_values" && since.Equal(until):
		f.adInsights(rw, r, since)
	default:
		f.refuse("wrong level, fields or days")
	}
}

func (f *facebookAds) adInsights(rw http.ResponseWriter, r *http.Request, day time.Time) {
	statuses := without(facebookStatuses["ads"], func(s string) bool { return s == "ARCHIVED" || s == "DELETED" })
	if text := r.URL.Query().Get("filtering"); text != "" {
		var filters []struct {
			Field, Operator string
			Value           []string
		}
		err := json.Unmarshal([]byte(text), &filters)
		f.refuseIf(err != nil || len(filters) != 1 || filters[0].Field != "ad.effective_status" ||
			filters[0].Operator != "IN",
			"wrong filter")
		statuses = filters[0].Value
	}
	var rows []object
	for i, ad := range f.ads(day) {
		status := f.lists["ads"][i]["effective_status"].(string)
		if !slices.Contains(statuses, status) {
			continue
		}
		f.showsIf(status == "DELETED", deleted)
		f.showsIf(ad["actions"] == nil, absentKey)
		rows = append(rows, ad)
	}
	code := map[int]int{3: 17, 4: 4, 5: 80000, 6: 2}[day.Day()]
	f.page(rw, r, "insights "+day.Format(time.DateOnly), code, rows)
}

// ads are the insights of a day, of all ads that ran. Those of the last 20 days change
// with late conversions.
func (f *facebookAds) ads(day time.Time) []object {
	count := 5
	switch day.Day() {
	case 1, 11, 21:
		count = 130
	case 13:
		count = 0
	}
	var all []object
	for i := range count {
		n, date := strconv.Itoa(i), day.Format(time.DateOnly)
		ad := object{"date_start": date, "date_stop": date, "campaign_id": "c" + n, "campaign_name": "Campaign " + n, "adset_id": "s" + n, "adset_name": "Ad set " + n, "ad_id": "a" + n, "ad_name": "Ad " + n, "impressions": strconv.Itoa(1000 + i), "clicks": "5", "spend": "1.25", "reach": "900"}
		if i%2 == 0 { // an ad without actions has no such members
			ad["actions"] = []any{object{"action_type": "link_click", "value": "4"}, object{"action_type": "purchase", "value": f.purchases(day)}}
			ad["action_values"] = []any{object{"action_type": "purchase", "value": "99.9"}}
		}
		all = append(all, ad)
	}
	return all
}

func (f *facebookAds) total(day time.Time) []object {
	ads := f.ads(day)
	if len(ads) == 0 {
		return nil
	}
	date := day.Format(time.DateOnly)
	return []object{{"date_start": date, "date_stop": date, "account_id": "123456789012345", "impressions": "1", "clicks": strconv.Itoa(5 * len(ads)), "spend": fmt.Sprintf("%.2f", 1.25*float64(len(ads))), "reach": "2000"}}
}

func (f *facebookAds) purchases(day time.Time) string {
	if f.day == 2 && day.After(firstDay.AddDate(0, 0, -20)) {
		return "2"
	}
	return "1"
}

// page responds with a page of a list. The first request of each list fails with the code,
// 0 for none. After a code that names a limit, the others fail for five minutes too.
func (f *facebookAds) page(rw http.ResponseWriter, r *http.Request, name string, code int, list []object) {
	key := fmt.Sprintf("%d %s", f.day, name)
	isFirst := f.requests[key] == 0
	f.requests[key]++
	if isFirst && code > 2 {
		f.limited[key] = f.Now().Add(5 * time.Minute)
	}
	body := object{"error": object{"message": "User request limit reached", "type": "OAuthException", "code": code, "fbtrace_id": "x"}}
	switch left := f.limited[key].Sub(f.Now()); {
	case left > 0:
		rw.Header().Set("X-Business-Use-Case-Usage", fmt.Sprintf(`{"123456789012345":[{"type":"ads_insights","call_count":100,"estimated_time_to_regain_access":%.0f}]}`, math.Ceil(left.Minutes())))
		f.failUntil(rw, r, f.limited[key], http.StatusBadRequest, body)
		return
	case isFirst && code == 1:
		fail(rw, http.StatusInternalServerError, body)
	case isFirst && code == 2:
		fail(rw, http.StatusBadRequest, body)
	}
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	from := 0
	if after := query.Get("after"); after != "" {
		text, err2 := base64.StdEncoding.DecodeString(after)
		if err2 == nil {
			from, err2 = strconv.Atoi(string(text))
		}
		f.refuseIf(err2 != nil || from < 0 || from >= len(list), "wrong cursor "+after)
	}
	f.refuseIf(err != nil || limit != 100, "wrong limit")
	if len(list) == 0 {
		reply(rw, http.StatusOK, object{"data": []any{}})
		return
	}
	to := min(from+limit, len(list))
	if from == 0 && name == "campaigns" {
		to = 7 // a page may have fewer items than the limit, and yet there is a next one
		f.shows(shortPage)
	}
	data := list[from:to]
	if name == "insights 2026-02-12" && query.Get("after") == "" {
		data, to = list[:0], 0 // a page may be empty, and yet there is a next one
	}
	paging := object{"cursors": object{"before": "x", "after": base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(to)))}}
	if to < len(list) {
		query.Set("after", base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(to))))
		paging["next"] = address(r.Host, r.URL.Path+"?"+query.Encode())
		f.shows(tie) // the last item of this page and the first of the next have one date
	}
	reply(rw, http.StatusOK, object{"data": data, "paging": paging})
}

func (f *facebookAds) nextDay() {
	f.day, f.second = 2, f.Now()
	f.addCampaign(500, "ACTIVE")
	f.lists["campaigns"][0]["effective_status"] = "DELETED"
	f.lists["ads"][4]["effective_status"] = "DELETED"
}

func (f *facebookAds) expected(day int) tables {
	want := tables{"accounts": {{"id": "act_123456789012345", "currency": "EUR", "timezone_name": "Europe/Prague"}}}
	text := func(v any) string {
		s, _ := v.(string)
		return s
	}
	for list, table := range map[string]string{"campaigns": "campaigns", "adsets": "ad_sets", "ads": "ads"} {
		for _, o := range f.lists[list] {
			if o["effective_status"] == "DELETED" {
				continue
			}
			r := row{"id": text(o["id"]), "name": text(o["name"]), "effective_status": text(o["effective_status"])}
			switch list {
			case "adsets":
				r["daily_budget"], r["lifetime_budget"] = text(o["daily_budget"]), text(o["lifetime_budget"])
			case "ads":
				r["creative_id"] = text(o["creative"].(object)["id"])
			}
			want.add(table, r)
		}
	}
	today := firstDay.Truncate(24 * time.Hour)
	from, to := today.AddDate(0, 0, -30), today
	if day == 2 {
		from, to = today.AddDate(0, 0, -28), f.second.Truncate(24*time.Hour)
	}
	for d := from; d.Before(to); d = d.AddDate(0, 0, 1) {
		for _, total := range f.total(d) {
			want.add("account_insights", row{"date": text(total["date_start"]), "account_id": "123456789012345", "spend": text(total["spend"]), "reach": "2000"})
		}
		for _, ad := range f.ads(d) {
			date, id := text(ad["date_start"]), text(ad["ad_id"])
			want.add("ad_insights", row{"date": date, "ad_id": id, "ad_name": text(ad["ad_name"]), "campaign_name": text(ad["campaign_name"]), "impressions": text(ad["impressions"]), "spend": "1.25"})
			if ad["actions"] != nil {
				want.add("ad_actions", row{"ad_day": date + "," + id, "action_type": "link_click", "value": "4"}, row{"ad_day": date + "," + id, "action_type": "purchase", "value": f.purchases(d)})
				want.add("ad_action_values", row{"ad_day": date + "," + id, "action_type": "purchase", "value": "99.9"})
			}
		}
	}
	return want
}
