package apis

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// twilio lists the newest first. A page holds the address of the next one without its
// host. Facts: https://www.twilio.com/docs/usage/twilios-response,
// https://www.twilio.com/docs/messaging/api/message-resource,
// https://www.twilio.com/docs/voice/api/call-resource.
type twilio struct {
	*world
	lists map[string][]*twilioItem // by resource, the newest first
	// old are statuses of items that were changed after their page was read.
	old map[*twilioItem]string
}

type twilioItem struct {
	sid, status string
	at          time.Time // when it was sent or started
}

// twilioKinds are the members of the answer and the filters of the resources.
var twilioKinds = map[string]struct{ member, filter string }{
	"Messages.json":             {"messages", "DateSent>"},
	"Calls.json":                {"calls", "StartTime>"},
	"IncomingPhoneNumbers.json": {"incoming_phone_numbers", ""},
}

func newTwilio(w *world) imitation {
	t := &twilio{world: w, lists: map[string][]*twilioItem{}, old: map[*twilioItem]string{}}
	for i := range 1100 {
		t.add("Messages.json", i, firstDay.Add(-time.Duration(2100-i)*time.Hour))
	}
	for i := range 1000 {
		t.add("Calls.json", i, firstDay.Add(-time.Duration(1000-i)*time.Hour))
	}
	t.add("IncomingPhoneNumbers.json", 1, firstDay)
	return t
}

func (t *twilio) add(resource string, i int, at time.Time) {
	sid := fmt.Sprintf("%.2s%d", strings.ToUpper(resource), i)
	t.lists[resource] = slices.Insert(t.lists[resource], 0, &twilioItem{sid, "queued", at})
}

func (t *twilio) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	resource, ofAccount := strings.CutPrefix(r.URL.Path, "/2010-04-01/Accounts/your-account-sid/")
	kind, known := twilioKinds[resource]
	user, password, _ := r.BasicAuth()
	query := r.URL.Query()
	size, err := strconv.Atoi(query.Get("PageSize"))
	switch {
	case r.Host != "api.twilio.com" || !ofAccount || !known:
		t.refuse(rw, r, http.StatusNotFound, "no such resource")
		return
	case user != "your-api-key-sid" || password != "your-api-key-secret":
		t.refuse(rw, r, http.StatusUnauthorized, "wrong key")
		return
	case err != nil || size < 1 || size > 1000:
		t.refuse(rw, r, http.StatusBadRequest, "wrong PageSize")
		return
	}
	t.requests[resource]++
	if t.requests[resource] == 2 { // too many requests at once, without Retry-After
		reply(rw, http.StatusTooManyRequests, map[string]any{"code": 20429, "status": 429})
		return
	}
	if resource == "Messages.json" && t.requests[resource] == 3 { // news between two pages
		t.add(resource, 5000, t.Now())
		newest := t.lists[resource][1]
		t.old[newest], newest.status = newest.status, "delivered"
	}
	list := slices.Clone(t.lists[resource])
	if day := query.Get("DateSent>") + query.Get("StartTime>"); day != "" {
		since, err := time.Parse(time.DateOnly, day)
		if err != nil || query.Get(kind.filter) != day {
			t.refuse(rw, r, http.StatusBadRequest, "wrong filter")
			return
		}
		list = slices.DeleteFunc(list, func(i *twilioItem) bool { return i.at.Before(since) })
	}
	from := 0
	if token := query.Get("PageToken"); token != "" { // the page begins after this item
		from = slices.IndexFunc(list, func(i *twilioItem) bool { return "PA"+i.sid == token }) + 1
		if from == 0 {
			t.refuse(rw, r, http.StatusBadRequest, "Invalid PageToken")
			return
		}
	}
	page := list[from:min(from+size, len(list))]
	answer := map[string]any{"page_size": size, "uri": r.URL.RequestURI(), "next_page_uri": nil}
	if len(page) == size { // after a full page there is another one, which may be empty
		next := url.Values{"PageToken": {"PA" + page[size-1].sid}}
		for key, values := range query {
			if key != "PageToken" {
				next[key] = values
			}
		}
		answer["next_page_uri"] = r.URL.Path + "?" + next.Encode()
	}
	items := []any{}
	for _, i := range page {
		at := i.at.Format(time.RFC1123Z)
		items = append(items, map[string]any{"sid": i.sid, "status": i.status, "date_sent": at, "start_time": at, "date_created": at, "price": nil, "body": "Hi, \"there\""})
	}
	answer[kind.member] = items
	reply(rw, http.StatusOK, answer)
}

func (t *twilio) nextDay() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lists["Messages.json"][3].status = "delivered"
	t.lists["Messages.json"] = slices.Delete(t.lists["Messages.json"], 5, 6)
	t.add("Messages.json", 6000, t.Now().Add(-time.Hour))
	t.add("Calls.json", 6000, t.Now().Add(-time.Hour))
}

func (t *twilio) expected(day int) tables {
	want := tables{}
	since := time.Time{}
	if day == 2 {
		since = firstDay.AddDate(0, 0, -3).Truncate(24 * time.Hour)
	}
	for resource, list := range t.lists {
		name := twilioKinds[resource].member
		for _, i := range list {
			if resource == "IncomingPhoneNumbers.json" {
				want["phone_numbers"] = append(want["phone_numbers"], row{"sid": i.sid})
				continue
			}
			if i.at.Before(since) || day == 1 && !i.at.Before(firstDay) {
				continue
			}
			status := i.status
			if old := t.old[i]; day == 1 && old != "" {
				status = old
			}
			want[name] = append(want[name], row{"sid": i.sid, "status": status})
		}
	}
	return want
}
