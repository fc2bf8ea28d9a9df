package apis

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// klaviyo has lists of resources as JSON:API. A page holds the address of the next one
// with a cursor in it. Facts: https://developers.klaviyo.com/en/reference/api_overview,
// https://developers.klaviyo.com/en/docs/rate_limits_and_error_handling, and the OpenAPI
// specification of the revision.
type klaviyo struct {
	*world
	lists map[string][]*klaviyoResource // in the order of their creation
	// old are values of profiles that were changed after their page was read.
	old map[string]string
}

type klaviyoResource struct {
	id         string
	at         time.Time // when it was updated, or when the event happened
	attributes map[string]any
}

// klaviyoLimits are the page sizes at most.
var klaviyoLimits = map[string]int{"profiles": 100, "events": 200, "metrics": 200, "lists": 10}

func newKlaviyo(w *world) imitation {
	k := &klaviyo{world: w, lists: map[string][]*klaviyoResource{}, old: map[string]string{}}
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for i := range 230 {
		k.add("profiles", i, start.Add(time.Duration(i)*time.Hour), map[string]any{
			"email": fmt.Sprintf("p%d@example.com", i), "first_name": nil,
			"location": map[string]any{"country": "Iceland"}, "properties": map[string]any{"plan": "gold", "visits": i},
		})
	}
	for i := range 450 {
		k.add("events", i, start.Add(time.Duration(3*i)*time.Hour), map[string]any{"event_properties": map[string]any{"$value": i}})
	}
	for i := range 203 {
		k.add("metrics", i, start, map[string]any{"name": "Metric " + strconv.Itoa(i), "integration": map[string]any{"name": "Shopify"}})
	}
	for i := range 20 { // two full pages
		k.add("lists", i, start, map[string]any{"name": "List " + strconv.Itoa(i), "opt_in_process": "double_opt_in"})
	}
	return k
}

func (k *klaviyo) add(list string, i int, at time.Time, attributes map[string]any) {
	k.lists[list] = append(k.lists[list], &klaviyoResource{fmt.Sprintf("%s-%d", list, i), at, attributes})
}

var klaviyoSince = regexp.MustCompile(`^greater-than\(updated,([^)]+)\)$`)
var klaviyoBetween = regexp.MustCompile(`^greater-or-equal\(datetime,([^),]+)\),less-than\(datetime,([^),]+)\)$`)

func (k *klaviyo) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	name, underAPI := strings.CutPrefix(r.URL.Path, "/api/")
	all, known := k.lists[name]
	query := r.URL.Query()
	switch {
	case r.Host != "a.klaviyo.com" || !underAPI || !known:
		k.refuse(rw, r, http.StatusNotFound, "no such resource")
		return
	case r.Header.Get("Authorization") != "Klaviyo-API-Key your-private-api-key":
		k.refuse(rw, r, http.StatusUnauthorized, "wrong key")
		return
	case r.Header.Get("revision") != "2026-04-15":
		k.refuse(rw, r, http.StatusBadRequest, "no revision")
		return
	}
	size := klaviyoLimits[name]
	if text := query.Get("page[size]"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > size || name == "metrics" {
			k.refuse(rw, r, http.StatusBadRequest, "wrong page[size]")
			return
		}
		size = n
	}
	k.requests[name]++
	if k.requests[name] == 2 {
		rw.Header().Set("Retry-After", "3")
		reply(rw, http.StatusTooManyRequests, map[string]any{"errors": []any{map[string]any{"code": "throttled"}}})
		return
	}
	if name == "profiles" && k.requests[name] == 4 { // the last page: the first profile is changed meanwhile
		first := k.lists[name][0]
		k.old[first.id] = first.attributes["email"].(string)
		first.at = k.Now().Add(time.Second)
		first.attributes["email"] = "new@example.com"
	}
	matching, err := klaviyoFilter(name, query.Get("filter"), all)
	if err != nil {
		k.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	if name == "profiles" && query.Get("sort") != "created" { // a profile that is changed moves to the end
		matching = slices.Clone(matching)
		slices.SortFunc(matching, func(a, b *klaviyoResource) int { return a.at.Compare(b.at) })
	}
	from := 0
	if cursor := query.Get("page[cursor]"); cursor != "" {
		from = slices.IndexFunc(matching, func(o *klaviyoResource) bool { return "next::"+o.id == cursor })
		if from < 0 {
			k.refuse(rw, r, http.StatusBadRequest, "wrong cursor")
			return
		}
	}
	page := matching[from:min(from+size, len(matching))]
	links := map[string]any{"self": address(r.Host, r.URL.RequestURI()), "next": nil, "prev": nil}
	if from+size < len(matching) {
		next := url.Values{"page[cursor]": {"next::" + matching[from+size].id}}
		for key, values := range query {
			if key != "page[cursor]" {
				next[key] = values
			}
		}
		links["next"] = address(r.Host, r.URL.Path+"?"+next.Encode())
	}
	data := []any{}
	for _, o := range page {
		data = append(data, klaviyoItem(name, o))
	}
	rw.Header().Set("RateLimit-Remaining", "100")
	reply(rw, http.StatusOK, map[string]any{"data": data, "links": links})
}

// klaviyoFilter applies the filters that the list supports.
func klaviyoFilter(name, filter string, all []*klaviyoResource) ([]*klaviyoResource, error) {
	if filter == "" && name != "events" {
		return all, nil
	}
	form := map[string]*regexp.Regexp{"profiles": klaviyoSince, "events": klaviyoBetween}[name]
	if form == nil || !form.MatchString(filter) {
		return nil, fmt.Errorf("wrong filter %q", filter)
	}
	var bounds []time.Time
	for _, text := range form.FindStringSubmatch(filter)[1:] {
		bound, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, err
		}
		bounds = append(bounds, bound)
	}
	var matching []*klaviyoResource
	for _, o := range all {
		if name == "profiles" && o.at.After(bounds[0]) || name == "events" && !o.at.Before(bounds[0]) && o.at.Before(bounds[1]) {
			matching = append(matching, o)
		}
	}
	return matching, nil
}

func klaviyoItem(name string, o *klaviyoResource) map[string]any {
	attributes := map[string]any{}
	for key, v := range o.attributes {
		attributes[key] = v
	}
	item := map[string]any{"type": strings.TrimSuffix(name, "s"), "id": o.id, "attributes": attributes}
	if name == "events" {
		attributes["datetime"] = o.at.Format("2006-01-02T15:04:05-07:00")
		item["relationships"] = map[string]any{
			"profile": map[string]any{"data": map[string]any{"type": "profile", "id": "profiles-1"}},
			"metric":  map[string]any{"data": map[string]any{"type": "metric", "id": "metrics-1"}},
		}
	} else {
		attributes["updated"] = o.at.Format("2006-01-02T15:04:05-07:00")
	}
	return item
}

func (k *klaviyo) nextDay() {
	k.mu.Lock()
	defer k.mu.Unlock()
	profiles := k.lists["profiles"]
	profiles[7].at, profiles[7].attributes["email"] = k.Now().Add(-time.Hour), "changed@example.com"
	k.lists["profiles"] = slices.Delete(profiles, 9, 10)
	k.add("profiles", 900, k.Now().Add(-time.Hour), map[string]any{"email": "new900@example.com"})
	k.add("events", 900, k.Now().Add(-time.Minute), map[string]any{"event_properties": nil})
	k.add("events", 901, firstDay.Add(-2*time.Hour), map[string]any{"event_properties": nil}) // reported late
	k.add("lists", 20, k.Now(), map[string]any{"name": "List 20", "opt_in_process": "single_opt_in"})
}

func (k *klaviyo) expected(day int) tables {
	want := tables{}
	since, until := time.Time{}, firstDay
	if day == 2 {
		since, until = firstDay, k.Now()
	}
	for _, o := range k.lists["profiles"] {
		email := o.attributes["email"].(string)
		if old := k.old[o.id]; day == 1 && old != "" {
			email = old
		}
		if o.at.After(since) {
			want["profiles"] = append(want["profiles"], row{"id": o.id, "email": email})
		}
	}
	for _, o := range k.lists["events"] {
		if o.at.Before(until) && (day == 1 || !o.at.Before(since.Add(-24*time.Hour))) {
			want["events"] = append(want["events"], row{"id": o.id, "metric_id": "metrics-1", "profile_id": "profiles-1"})
		}
	}
	for _, name := range []string{"metrics", "lists"} {
		for _, o := range k.lists[name] {
			want[name] = append(want[name], row{"id": o.id, "name": o.attributes["name"].(string)})
		}
	}
	return want
}
