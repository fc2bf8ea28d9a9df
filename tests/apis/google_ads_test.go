package apis

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// googleAds answers queries with lists of batches. Without rows there is no batch, or one
// without results. Facts:
// https://developers.google.com/google-ads/api/rest/common/search,
// https://developers.google.com/google-ads/api/rest/auth.
type googleAds struct {
	*world
	day       int
	second    time.Time      // when the second day begins
	tokens    map[string]int // requests by access token
	campaigns int
}

const (
	googleAdsBatch  = 100 // 10,000 in the API
	googleAdsGroups = 7
)

var googleAdsDays = regexp.MustCompile(`^SELECT segments\.date, ad_group\.id, campaign\.id, metrics\.impressions, metrics\.clicks, metrics\.cost_micros, metrics\.conversions FROM ad_group WHERE segments\.date BETWEEN '(\d{4}-\d\d-\d\d)' AND '(\d{4}-\d\d-\d\d)'$`)

func newGoogleAds(w *world) imitation {
	return &googleAds{world: w, day: 1, tokens: map[string]int{}, campaigns: 230}
}

func (g *googleAds) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case r.Method != http.MethodPost || r.URL.RawQuery != "":
		g.refuse(rw, r, http.StatusMethodNotAllowed, "only POST without a query")
	case r.Host == "oauth2.googleapis.com" && r.URL.Path == "/token":
		g.login(rw, r)
	case r.Host == "googleads.googleapis.com" && r.URL.Path == "/v26/customers/1234567890/googleAds:searchStream":
		g.search(rw, r)
	default:
		g.refuse(rw, r, http.StatusNotFound, "no such method")
	}
}

func (g *googleAds) login(rw http.ResponseWriter, r *http.Request) {
	want := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"your-refresh-token"}, "client_id": {"your-client-id"}, "client_secret": {"your-client-secret"}}
	if err := r.ParseForm(); err != nil || r.PostForm.Encode() != want.Encode() {
		g.refuse(rw, r, http.StatusBadRequest, "invalid_grant: "+r.PostForm.Encode())
		return
	}
	token := "ya29." + strconv.Itoa(len(g.tokens))
	g.tokens[token] = 0
	reply(rw, http.StatusOK, map[string]any{"access_token": token, "expires_in": 3599, "scope": "https://www.googleapis.com/auth/adwords", "token_type": "Bearer"})
}

func (g *googleAds) search(rw http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	used, known := g.tokens[token]
	var body struct{ Query string }
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	switch {
	case !known || r.Header.Get("login-customer-id") != "1112223333":
		g.refuse(rw, r, http.StatusUnauthorized, "wrong credentials")
		return
	case err != nil:
		g.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	g.tokens[token]++
	g.requests[body.Query]++
	switch {
	case token == "ya29.0" && used >= 2: // it was revoked
		g.fail(rw, http.StatusUnauthorized, "UNAUTHENTICATED")
	case g.requests[body.Query] == 1 && strings.HasSuffix(body.Query, "campaign"):
		g.fail(rw, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED")
	default:
		g.batches(rw, r, body.Query)
	}
}

func (g *googleAds) fail(rw http.ResponseWriter, status int, text string) {
	reply(rw, status, map[string]any{"error": map[string]any{"code": status, "message": text, "status": text}})
}

func (g *googleAds) batches(rw http.ResponseWriter, r *http.Request, query string) {
	rows, ok := g.rows(query)
	if !ok {
		g.refuse(rw, r, http.StatusBadRequest, "wrong query: "+query)
		return
	}
	batches := []any{}
	for batch := range slices.Chunk(rows, googleAdsBatch) {
		batches = append(batches, map[string]any{"results": batch, "fieldMask": "…", "requestId": "r-1"})
	}
	if len(rows) == 0 && g.requests["empty"] == 0 {
		g.requests["empty"]++
		batches = append(batches, map[string]any{"fieldMask": "…", "requestId": "r-1"})
	}
	reply(rw, http.StatusOK, batches)
}

// rows are all rows of a query.
func (g *googleAds) rows(query string) (rows []any, ok bool) {
	switch query {
	case "SELECT campaign.id, campaign.name, campaign.status, campaign.advertising_channel_type FROM campaign":
		for i := range g.campaigns {
			id := strconv.Itoa(100 + i)
			rows = append(rows, map[string]any{"campaign": map[string]any{"resourceName": "customers/1234567890/campaigns/" + id, "id": id, "name": "Campaign " + id, "status": "PAUSED", "advertisingChannelType": "SEARCH"}})
		}
		return rows, true
	case "SELECT ad_group.id, ad_group.name, ad_group.status, campaign.id FROM ad_group":
		for i := range googleAdsGroups {
			id := strconv.Itoa(i)
			rows = append(rows, map[string]any{"campaign": map[string]any{"resourceName": "customers/1234567890/campaigns/100", "id": "100"}, "adGroup": map[string]any{"resourceName": "customers/1234567890/adGroups/" + id, "id": id, "name": "Group " + id, "status": "ENABLED"}})
		}
		return rows, true
	}
	span := googleAdsDays.FindStringSubmatch(query)
	if span == nil {
		return nil, false
	}
	from, err := time.Parse(time.DateOnly, span[1])
	to, err2 := time.Parse(time.DateOnly, span[2])
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		for i := range googleAdsGroups {
			if d.Year() < 2026 {
				break // the account had no ads then
			}
			rows = append(rows, map[string]any{
				"campaign": map[string]any{"resourceName": "customers/1234567890/campaigns/100", "id": "100"},
				"adGroup":  map[string]any{"resourceName": "customers/1234567890/adGroups/" + strconv.Itoa(i), "id": strconv.Itoa(i)},
				"segments": map[string]any{"date": d.Format(time.DateOnly)},
				"metrics":  map[string]any{"impressions": "1000", "clicks": strconv.Itoa(i), "costMicros": "1250000", "conversions": g.conversions(d)},
			})
		}
	}
	return rows, err == nil && err2 == nil && to.Before(g.Now().Truncate(24*time.Hour))
}

// conversions of the last days grow on the second day.
func (g *googleAds) conversions(d time.Time) float64 {
	if g.day == 2 && d.After(firstDay.AddDate(0, 0, -20)) {
		return 2.5
	}
	return 1
}

func (g *googleAds) nextDay() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.day, g.second = 2, g.Now()
	g.campaigns++
}

func (g *googleAds) expected(day int) tables {
	want := tables{}
	for i := range g.campaigns {
		id := strconv.Itoa(100 + i)
		want["campaigns"] = append(want["campaigns"], row{"id": id, "name": "Campaign " + id, "advertising_channel_type": "SEARCH"})
	}
	for i := range googleAdsGroups {
		want["ad_groups"] = append(want["ad_groups"], row{"id": strconv.Itoa(i), "campaign_id": "100"})
	}
	today := firstDay.Truncate(24 * time.Hour)
	from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), today
	if day == 2 {
		from, to = today.AddDate(0, 0, -30), g.second.Truncate(24*time.Hour)
	}
	for d := from; d.Before(to); d = d.AddDate(0, 0, 1) {
		for i := range googleAdsGroups {
			want["ad_group_days"] = append(want["ad_group_days"], row{"date": d.Format(time.DateOnly), "ad_group_id": strconv.Itoa(i), "clicks": strconv.Itoa(i), "conversions": strconv.FormatFloat(g.conversions(d), 'f', -1, 64)})
		}
	}
	return want
}
