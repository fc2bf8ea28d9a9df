package apis

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// klaviyo has lists of resources as JSON:API. A page holds the address of the next one
// with a cursor in it. Campaigns and flows are archived or not: a request names which.
// Facts: https://developers.klaviyo.com/en/reference/api_overview,
// https://developers.klaviyo.com/en/docs/rate_limits_and_error_handling, and the OpenAPI
// specification of the revision.
type klaviyo struct {
	*world
	lists map[string][]*klaviyoResource // in the order of their creation
	// old are values of profiles that were changed after their page was read.
	old map[string]string
	// gone says that a profile was deleted.
	gone bool
}

type klaviyoResource struct {
	id         string
	at         time.Time // when it was updated, or when the event happened
	attributes object
	channel    string // of a campaign
}

// klaviyoSizes are the page sizes by default and at most. Metrics have a fixed one.
var klaviyoSizes = map[string][2]int{
	"profiles": {20, 100}, "events": {200, 1000}, "metrics": {200, 0}, "lists": {10, 10},
	"segments": {10, 10}, "campaigns": {100, 100}, "flows": {50, 50},
}

// klaviyoFilters are the forms of the filters that the configuration may use.
var klaviyoFilters = map[string]*regexp.Regexp{
	"profiles":  regexp.MustCompile(`^greater-than\(updated,([^)]+)\)$`),
	"events":    regexp.MustCompile(`^greater-or-equal\(datetime,([^),]+)\),less-than\(datetime,([^),]+)\)$`),
	"campaigns": regexp.MustCompile(`^and\(equals\(messages\.channel,'(email|sms|mobile_push)'\),equals\(archived,(true|false)\)\)$`),
	"flows":     regexp.MustCompile(`^equals\(archived,(true|false)\)$`),
}

func newKlaviyo(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "the configuration has no children: a scope that the key lacks makes a whole list fail, and the run with it",
		missingParent: "the configuration has no children: every list belongs to the account",
		errorIn200:    "Klaviyo documents errors with a status of 4xx or 5xx only",
		expiredToken:  "a private key does not expire; it works until somebody deletes it",
	}
	k := &klaviyo{world: w, lists: map[string][]*klaviyoResource{}, old: map[string]string{}}
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for i := range 230 {
		k.add("profiles", i, start.Add(time.Duration(i)*time.Hour), object{
			"email": fmt.Sprintf("p%d@example.com", i), "first_name": nil,
			"location": object{"country": "Iceland"}, "properties": object{"plan": "gold", "visits": i},
			"subscriptions": object{"email": object{"marketing": object{"consent": "SUBSCRIBED"}}},
		})
	}
	for i := range 1100 { // two at a time, also at the end of a page of 1,000
		k.add("events", i, start.Add(time.Duration((i+1)/2)*2*time.Hour), object{"event_properties": object{"$value": i}})
	}
	for i := range 203 {
		k.add("metrics", i, start, object{"name": "Metric " + strconv.Itoa(i), "integration": object{"name": "Shopify"}})
	}
	for i := range 20 { // two full pages
		k.add("lists", i, start, object{"name": "List " + strconv.Itoa(i), "opt_in_process": "double_opt_in"})
	}
	for i := range 12 {
		k.add("segments", i, start, object{"name": "Segment " + strconv.Itoa(i), "is_active": i > 0})
	}
	for i, channel := range []string{"email", "email", "sms", "sms", "mobile_push", "mobile_push"} {
		k.add("campaigns", i, start, object{"name": "Campaign " + strconv.Itoa(i), "status": "Sent", "archived": i%2 == 1, "send_time": nil})
		k.lists["campaigns"][i].channel = channel
	}
	for i := range 60 {
		flow := object{"name": "Flow " + strconv.Itoa(i), "status": "live", "archived": i == 3, "trigger_type": "Metric"}
		if i == 5 {
			delete(flow, "trigger_type")
		}
		k.add("flows", i, start, flow)
	}
	return k
}

func (k *klaviyo) add(list string, i int, at time.Time, attributes object) {
	k.lists[list] = append(k.lists[list], &klaviyoResource{id: fmt.Sprintf("%s-%d", list, i), at: at, attributes: attributes})
}

func (k *klaviyo) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	name, underAPI := strings.CutPrefix(r.URL.Path, "/api/")
	all, known := k.lists[name]
	query := r.URL.Query()
	k.admit(r, "a.klaviyo.com", map[string]string{"Authorization": "Klaviyo-API-Key your-private-api-key", "revision": "2026-07-15", "Accept": "application/vnd.api+json"})
	k.refuseIf(!underAPI || !known, "no such resource")
	k.refuseIf(query.Get("additional-fields[profile]") != "" && (name != "profiles" || query.Get("additional-fields[profile]") != "subscriptions"),
		"no such additional fields")
	size := klaviyoSizes[name][0]
	if text := query.Get("page[size]"); text != "" {
		n, err := strconv.Atoi(text)
		k.refuseIf(err != nil || n < 1 || n > klaviyoSizes[name][1], "wrong page[size]")
		size = n
	}
	k.requests[name]++
	failIf(k.requests[name] == 2,
		rw, http.StatusTooManyRequests, object{"errors": []any{object{"code": "throttled"}}}, "Retry-After", "3")
	if name == "profiles" && k.requests[name] == 4 { // the last page: the first profile is changed meanwhile
		first := k.lists[name][0]
		k.old[first.id] = first.attributes["email"].(string)
		first.at = k.Now().Add(time.Second)
		first.attributes["email"] = "new@example.com"
	}
	matching, err := klaviyoMatching(name, query.Get("filter"), all)
	k.refuseIf(err != nil, err)
	if name == "profiles" && query.Get("sort") != "created" { // a profile that is changed moves to the end
		matching = slices.Clone(matching)
		slices.SortFunc(matching, func(a, b *klaviyoResource) int { return a.at.Compare(b.at) })
	}
	from := 0
	if cursor := query.Get("page[cursor]"); cursor != "" {
		from = slices.IndexFunc(matching, func(o *klaviyoResource) bool { return "next::"+o.id == cursor })
		k.refuseIf(from < 0, "wrong cursor")
	}
	if name == "segments" && from == 0 { // a page may have fewer items than its size
		size = 4
		k.shows(shortPage)
	}
	to := min(from+size, len(matching))
	links := object{"self": address(r.Host, r.URL.RequestURI()), "next": nil, "prev": nil}
	if to < len(matching) {
		next := maps.Clone(query)
		next.Set("page[cursor]", "next::"+matching[to].id)
		links["next"] = address(r.Host, r.URL.Path+"?"+url.Values(next).Encode())
		k.showsIf(name == "events" && matching[to].at.Equal(matching[to-1].at), tie)
	}
	data := []any{}
	for _, o := range matching[from:to] {
		data = append(data, k.item(name, o, query.Get("additional-fields[profile]") != ""))
	}
	// the response says nothing of it
	k.showsIf(name == "profiles" && k.gone, deleted)
	rw.Header().Set("RateLimit-Remaining", "100")
	reply(rw, http.StatusOK, object{"data": data, "links": links})
}

// klaviyoMatching are the resources that the filter of the list lets pass. Events,
// campaigns and flows need one here.
func klaviyoMatching(name, filter string, all []*klaviyoResource) ([]*klaviyoResource, error) {
	form := klaviyoFilters[name]
	if filter == "" && (form == nil || name == "profiles") {
		return all, nil
	}
	if form == nil || !form.MatchString(filter) {
		return nil, fmt.Errorf("wrong filter %q", filter)
	}
	values := form.FindStringSubmatch(filter)[1:]
	var bounds []time.Time
	if name == "profiles" || name == "events" {
		for _, text := range values {
			bound, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return nil, err
			}
			bounds = append(bounds, bound)
		}
	}
	var matching []*klaviyoResource
	for _, o := range all {
		var passes bool
		switch name {
		case "profiles":
			passes = o.at.After(bounds[0])
		case "events":
			passes = !o.at.Before(bounds[0]) && o.at.Before(bounds[1])
		case "campaigns":
			passes = o.channel == values[0] && o.attributes["archived"] == (values[1] == "true")
		case "flows":
			passes = o.attributes["archived"] == (values[0] == "true")
		}
		if passes {
			matching = append(matching, o)
		}
	}
	return matching, nil
}

func (k *klaviyo) item(name string, o *klaviyoResource, subscriptions bool) object {
	attributes := maps.Clone(o.attributes)
	item := object{"type": strings.TrimSuffix(name, "s"), "id": o.id, "attributes": attributes}
	updated := o.at.Format("2006-01-02T15:04:05-07:00")
	switch name {
	case "events":
		attributes["datetime"] = updated
		item["relationships"] = object{
			"profile": object{"data": object{"type": "profile", "id": "profiles-1"}},
			"metric":  object{"data": object{"type": "metric", "id": "metrics-1"}},
		}
	case "campaigns":
		attributes["created_at"], attributes["updated_at"] = updated, updated
	default:
		attributes["updated"] = updated
	}
	if name == "profiles" {
		if !subscriptions {
			delete(attributes, "subscriptions")
		}
		k.shows(oddValue) // first_name is null
	}
	k.showsIf(attributes["archived"] == true, archived)
	k.showsIf(name == "flows" && attributes["trigger_type"] == nil, absentKey)
	return item
}

func (k *klaviyo) nextDay() {
	profiles := k.lists["profiles"]
	profiles[7].at, profiles[7].attributes["email"] = k.Now().Add(-time.Hour), "changed@example.com"
	k.lists["profiles"] = slices.Delete(profiles, 9, 10)
	k.gone = true
	k.add("profiles", 900, k.Now().Add(-time.Hour), object{"email": "new900@example.com"})
	k.add("profiles", 901, firstDay, object{"email": "late901@example.com"}) // in the second when the first run began
	k.add("events", 1900, k.Now().Add(-time.Minute), object{"event_properties": nil})
	k.add("events", 1901, firstDay.Add(-2*time.Hour), object{"event_properties": nil}) // reported late
	k.add("lists", 20, k.Now(), object{"name": "List 20", "opt_in_process": "single_opt_in"})
	k.lists["campaigns"][0].attributes["archived"] = true
}

func (k *klaviyo) expected(day int) tables {
	want := tables{}
	since, until := time.Time{}, firstDay
	if day == 2 {
		since, until = firstDay, k.Now()
	}
	for _, o := range k.lists["profiles"] {
		email, consent := o.attributes["email"].(string), ""
		if old := k.old[o.id]; day == 1 && old != "" {
			email = old
		}
		if o.attributes["subscriptions"] != nil {
			consent = "SUBSCRIBED"
		}
		if o.at.After(since.Add(-10 * time.Minute)) {
			want.add("profiles", row{"id": o.id, "email": email, "first_name": "", "email_consent": consent})
		}
	}
	for _, o := range k.lists["events"] {
		if o.at.Before(until) && (day == 1 || !o.at.Before(since.Add(-24*time.Hour))) {
			want.add("events", row{"id": o.id, "metric_id": "metrics-1", "profile_id": "profiles-1"})
		}
	}
	for _, name := range []string{"metrics", "lists", "segments", "campaigns", "flows"} {
		for _, o := range k.lists[name] {
			r := row{"id": o.id, "name": o.attributes["name"].(string)}
			if name == "campaigns" {
				r["channel"] = o.channel
			}
			if is, ok := o.attributes["archived"].(bool); ok {
				r["archived"] = map[bool]string{true: "1", false: ""}[is]
			}
			want.add(name, r)
		}
	}
	return want
}
