package apis

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pinterest has the objects of an ad account, and makes reports: a request for one, its state
// until it is finished, and a file on another host. A list has the statuses that are requested,
// in parameters of one name; without them it has no archived objects. A report has an object with
// the lists of rows by id, and leaves out what is 0; it has archived ads only if the request
// names them, which is the worse of what is possible. A login replaces the refresh token.
type pinterest struct {
	*world
	day     int
	second  time.Time // when the second day begins
	lists   map[string][]object
	reports []*pinterestReport
	created int // requests for a report
	logins  int
	served  int // requests with the current token
	// until is when a request that was refused may come again.
	until map[string]time.Time
}

type pinterestReport struct {
	level    string
	archived bool // it has archived ads
	from, to time.Time
	polls    int // that are left until it is finished
	ready    time.Time
}

const (
	pinterestAccount = "/v5/ad_accounts/549755885175"
	pinterestFiles   = "reports.example.com"
)

// pinterestIDs are the columns of a report with ids. The id that its rows are about is the
// key of their list.
var pinterestIDs = map[string][]string{"ADVERTISER": {}, "PIN_PROMOTION": {"CAMPAIGN_ID", "AD_GROUP_ID"}}

var pinterestMetrics = []string{"SPEND_IN_MICRO_DOLLAR", "IMPRESSION_1", "TOTAL_CLICKTHROUGH", "OUTBOUND_CLICK_1", "TOTAL_ENGAGEMENT", "TOTAL_CONVERSIONS", "TOTAL_CHECKOUT", "TOTAL_CHECKOUT_VALUE_IN_MICRO_DOLLAR"}

var pinterestStatuses = []string{"ACTIVE", "PAUSED", "ARCHIVED", "DRAFT", "DELETED_DRAFT"}

func newPinterest(w *world) mockServer {
	w.notShown = map[condition]string{
		deleted:       "a campaign, ad group or ad can only be archived; what can be deleted are drafts, which never ran",
		forbidden:     "a report is about the one account, whose lists would be refused, too",
		missingParent: "the only parent is a report that the run has requested itself",
		tie:           "lists are ordered by id, and reports have whole days without pages, which later runs request again",
		errorIn200:    "the only one is the state of a report that failed, which ends the run; other errors have a status of their own",
	}
	p := &pinterest{world: w, day: 1, lists: map[string][]object{}, until: map[string]time.Time{}}
	for list, count := range map[string]int{"campaigns": 260, "ad_groups": 110, "ads": 130} {
		for i := range count {
			o := object{"id": strconv.Itoa(1000 + i), "name": "Name " + strconv.Itoa(i), "status": []string{"ACTIVE", "PAUSED", "ARCHIVED"}[i%3], "summary_status": "RUNNING", "created_time": 1767225600, "updated_time": 1767225600}
			switch list {
			case "campaigns":
				o["objective_type"], o["daily_spend_cap"], o["lifetime_spend_cap"] = "AWARENESS", 5000000, nil
			case "ad_groups":
				o["campaign_id"], o["budget_in_micro_currency"], o["budget_type"] = "1000", nil, "CBO_ADGROUP"
			case "ads":
				o["campaign_id"], o["ad_group_id"], o["pin_id"], o["creative_type"], o["review_status"] = "1000", "1001", "9", "REGULAR", "APPROVED"
			}
			p.lists[list] = append(p.lists[list], o)
		}
	}
	p.lists["campaigns"][5]["status"] = "DRAFT"
	return p
}

// refreshToken is the one that the next login needs.
func (p *pinterest) refreshToken() string {
	if p.logins == 0 {
		return "your-refresh-token"
	}
	return "refresh-token-" + strconv.Itoa(p.logins)
}

func (p *pinterest) login(rw http.ResponseWriter, r *http.Request) {
	client := "Basic " + base64.StdEncoding.EncodeToString([]byte("1234567:your-app-secret"))
	p.refuseIf(r.Method != http.MethodPost || r.Header.Get("Authorization") != client ||
		r.PostFormValue("grant_type") != "refresh_token" ||
		r.PostFormValue("refresh_token") != p.refreshToken(), "wrong client or refresh token")
	p.logins++
	p.served = 0
	reply(rw, http.StatusOK, object{"access_token": "access-token-" + strconv.Itoa(p.logins), "expires_in": 2592000, "token_type": "bearer", "scope": "ads:read", "response_type": "refresh_token", "refresh_token": p.refreshToken(), "refresh_token_expires_in": 5184000})
}

func (p *pinterest) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Host == pinterestFiles {
		p.file(rw, r)
		return
	}
	path, ofAccount := strings.CutPrefix(r.URL.Path, pinterestAccount)
	name := strings.TrimPrefix(path, "/")
	request := r.Method + r.URL.RequestURI()
	p.served++
	p.refuseIf(r.Host != "api.pinterest.com", "no such host")
	switch {
	case r.URL.Path == "/v5/oauth/token":
		p.login(rw, r)
	case p.logins == 1 && p.served > 3 || r.Header.Get("Authorization") != "Bearer access-token-"+strconv.Itoa(p.logins):
		p.shows(expiredToken)
		reply(rw, http.StatusUnauthorized, object{"code": 2, "message": "Authentication failed."})
	case p.requests[request] == 0 && len(p.requests)%3 == 2:
		p.requests[request]++
		p.until[request] = p.Now().Add(20 * time.Second)
		rw.Header().Set("X-RateLimit-Reset", "20")
		reply(rw, http.StatusTooManyRequests, object{"code": 8, "message": "You have exceeded your rate limit. Try again later."})
	case r.Method == http.MethodGet && p.Now().Before(p.until[request]):
		p.refuse("earlier than X-RateLimit-Reset said")
	case ofAccount && name == "reports" && r.Method == http.MethodPost:
		p.requests[request]++
		p.create(rw, r)
	case !ofAccount || r.Method != http.MethodGet:
		p.refuse("no such path or method")
	case name == "reports":
		p.requests[request]++
		p.status(rw, r)
	case path == "":
		p.requests[request]++
		reply(rw, http.StatusOK, object{"id": "549755885175", "name": "Account", "currency": "EUR", "country": "CZ", "time_zone": "Europe/Prague"})
	case p.lists[name] != nil:
		p.requests[request]++
		p.list(rw, r, name)
	default:
		p.refuse("no such list")
	}
}

func (p *pinterest) list(rw http.ResponseWriter, r *http.Request, name string) {
	query := r.URL.Query()
	size, err := strconv.Atoi(query.Get("page_size"))
	statuses := query["entity_statuses"]
	if len(statuses) == 0 {
		statuses = []string{"ACTIVE", "PAUSED"}
	}
	from, err2 := 0, error(nil)
	if bookmark := query.Get("bookmark"); bookmark != "" {
		text, err := base64.StdEncoding.DecodeString(bookmark)
		from, err2 = strconv.Atoi(string(text))
		if err != nil {
			err2 = err
		}
	}
	p.refuseIf(err != nil || err2 != nil || size < 1 || size > 250 ||
		query.Get("order") != "ASCENDING" ||
		slices.ContainsFunc(statuses, func(s string) bool { return !slices.Contains(pinterestStatuses, s) }),
		"wrong parameters")
	matching := []any{}
	for _, o := range p.lists[name] {
		if slices.Contains(statuses, o["status"].(string)) {
			matching = append(matching, o)
		}
	}
	to := min(from+size, len(matching))
	if from == 0 && len(matching) > 100 { // a page may have fewer items than its size
		to = 70
		p.shows(shortPage)
	}
	p.shows(oddValue) // caps and budgets are null
	var bookmark any
	if to < len(matching) {
		bookmark = base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(to)))
	}
	reply(rw, http.StatusOK, object{"items": matching[from:to], "bookmark": bookmark})
}

func (p *pinterest) create(rw http.ResponseWriter, r *http.Request) {
	var body struct {
		Level       string   `json:"level"`
		Granularity string   `json:"granularity"`
		StartDate   string   `json:"start_date"`
		EndDate     string   `json:"end_date"`
		Columns     []string `json:"columns"`

		CampaignStatuses []string `json:"campaign_statuses"`
		AdGroupStatuses  []string `json:"ad_group_statuses"`
		AdStatuses       []string `json:"ad_statuses"`
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	start, err2 := time.Parse(time.DateOnly, body.StartDate)
	end, err3 := time.Parse(time.DateOnly, body.EndDate)
	today := p.Now().Truncate(24 * time.Hour)
	columns := slices.Concat(pinterestIDs[body.Level], pinterestMetrics)
	p.refuseIf(err != nil || err2 != nil || err3 != nil || r.URL.RawQuery != "" ||
		pinterestIDs[body.Level] == nil || body.Granularity != "DAY" ||
		!slices.Equal(body.Columns, columns) || start.Before(today.AddDate(0, 0, -914)) ||
		end.Before(start) || end.After(start.AddDate(0, 0, 185)) || !end.Before(today),
		fmt.Sprintf("wrong parameters: %+v", body))
	p.refuseIf(p.Now().Before(p.until[body.Level]), "earlier than the message said")
	p.created++
	switch p.created {
	case 1, 2: // a limit that has nothing to do with the number of requests
		p.until[body.Level] = p.Now().Add(7 * time.Second)
		status := []int{http.StatusTooManyRequests, http.StatusBadRequest}[p.created-1]
		reply(rw, status, object{"code": 2726, "message": "Reporting query cost limit exceeded. Retry after 7 seconds"})
		return
	case 3:
		fail(rw, http.StatusBadRequest, object{"code": 12, "message": "Something went wrong on our end. Sorry about that."})
	}
	report := &pinterestReport{level: body.Level, from: start, to: end, polls: 2, archived: true}
	for _, statuses := range [][]string{body.CampaignStatuses, body.AdGroupStatuses, body.AdStatuses} {
		report.archived = report.archived && slices.Contains(statuses, "ARCHIVED")
		p.refuseIf(len(statuses) > 6, "too many statuses")
	}
	p.reports = append(p.reports, report)
	reply(rw, http.StatusOK, object{"report_status": "IN_PROGRESS", "token": "token/" + strconv.Itoa(len(p.reports)-1), "message": nil})
}

func (p *pinterest) find(token string) *pinterestReport {
	i, err := strconv.Atoi(strings.TrimPrefix(token, "token/"))
	if err != nil || i < 0 || i >= len(p.reports) {
		return nil
	}
	return p.reports[i]
}

func (p *pinterest) status(rw http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	report := p.find(token)
	p.refuseIf(report == nil || r.URL.Query().Encode() != (url.Values{"token": {token}}).Encode(),
		"no such report")
	if report.polls--; report.polls >= 0 {
		reply(rw, http.StatusOK, object{"report_status": "IN_PROGRESS", "url": nil, "size": nil})
		return
	}
	report.ready = p.Now()
	link := address(pinterestFiles, "/file?"+url.Values{"signed": {token}}.Encode())
	reply(rw, http.StatusOK, object{"report_status": "FINISHED", "url": link, "size": 1000})
}

func (p *pinterest) file(rw http.ResponseWriter, r *http.Request) {
	report := p.find(r.URL.Query().Get("signed"))
	p.refuseIf(report == nil || report.ready.IsZero() || r.URL.Path != "/file", "no such file")
	p.refuseIf(r.Header.Get("Authorization") != "", "a signed address needs no credentials")
	// 5 minutes, and the waits of others
	p.refuseIf(p.Now().Sub(report.ready) > 10*time.Minute, "the address has expired")
	rows := map[string][]any{}
	for d := report.from; !d.After(report.to); d = d.AddDate(0, 0, 1) {
		if report.level == "ADVERTISER" {
			rows["549755885175"] = append(rows["549755885175"], p.statistics(d, nil))
			continue
		}
		for _, ad := range pinterestRan(d) {
			if ad == "1002" && !report.archived {
				continue
			}
			p.showsIf(ad == "1002", archived)
			rows[ad] = append(rows[ad], p.statistics(d, object{"CAMPAIGN_ID": "1000", "AD_GROUP_ID": "1001"}))
		}
	}
	reply(rw, http.StatusOK, rows)
}

// pinterestRan are the ads that ran on a day. 1002 is archived.
func pinterestRan(d time.Time) []string {
	ads := []string{"1002"}
	if d.Day()%2 == 0 {
		ads = append(ads, "1001")
	}
	if d.Day() == 14 {
		ads = append(ads, "1110")
	}
	return ads
}

// statistics adds those of a day to ids. What is 0 is left out.
func (p *pinterest) statistics(d time.Time, ids object) object {
	stats := object{"DATE": d.Format(time.DateOnly), "SPEND_IN_MICRO_DOLLAR": 1234567, "IMPRESSION_1": 900, "TOTAL_CLICKTHROUGH": 7}
	maps.Copy(stats, ids)
	if conversions := p.conversions(d); conversions > 0 {
		stats["TOTAL_CONVERSIONS"] = conversions
	} else {
		p.shows(absentKey)
	}
	return stats
}

func (p *pinterest) conversions(d time.Time) int {
	switch {
	case d.Day() == 3:
		return 0
	case p.day == 2 && d.After(firstDay.AddDate(0, 0, -10)):
		return 2
	}
	return 1
}

func (p *pinterest) nextDay() {
	p.day, p.second = 2, p.Now()
	p.lists["campaigns"][1]["status"] = "ARCHIVED"
}

func (p *pinterest) expected(day int) tables {
	want := tables{"accounts": {{"id": "549755885175", "currency": "EUR", "time_zone": "Europe/Prague"}}}
	for list, objects := range p.lists {
		for _, o := range objects {
			if o["status"] == "DRAFT" {
				continue
			}
			want.add(list, row{"id": o["id"].(string), "name": o["name"].(string), "status": o["status"].(string)})
		}
	}
	today := firstDay.Truncate(24 * time.Hour)
	from, to := today.AddDate(0, 0, -90), today
	if day == 2 {
		from, to = today.AddDate(0, 0, -30), p.second.Truncate(24*time.Hour)
	}
	reported := map[string]bool{}
	for d := from; d.Before(to); d = d.AddDate(0, 0, 1) {
		conversions := strconv.Itoa(p.conversions(d))
		if conversions == "0" {
			conversions = ""
		}
		date := d.Format(time.DateOnly)
		want.add("account_days", row{"date": date, "account_id": "549755885175", "spend_micro": "1234567", "conversions": conversions, "checkouts": ""})
		for _, ad := range pinterestRan(d) {
			want.add("ad_days", row{"date": date, "ad_id": ad, "ad_group_id": "1001", "campaign_id": "1000", "spend_micro": "1234567", "conversions": conversions, "checkouts": ""})
			reported[ad] = true
		}
	}
	for ad := range reported {
		want.add("ads_reported", row{"id": ad})
	}
	return want
}
