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
// host. Facts:
//   - pages of at most 1,000 items: https://www.twilio.com/docs/usage/twilios-response
//   - filters by whole days in GMT; a message that was never sent has no date_sent, which
//     DateSent> leaves out:
//     https://github.com/twilio/twilio-oai/blob/main/spec/yaml/twilio_api_v2010.yaml
//   - usage of subaccounts is included unless IncludeSubaccounts is false: the same
type twilio struct {
	*world
	lists map[string][]*twilioItem // by resource, the newest first
	// old are statuses of items that were changed after their page was read.
	old      map[*twilioItem]string
	nextDays bool
}

type twilioItem struct {
	sid, status string
	at          time.Time // when it was created, sent or started, or the day of usage
}

// twilioKinds are the members of the response and the filters of the resources.
var twilioKinds = map[string]struct{ member, filter string }{
	"Messages.json":             {"messages", "DateSent>"},
	"Calls.json":                {"calls", "StartTime>"},
	"IncomingPhoneNumbers.json": {"incoming_phone_numbers", ""},
	"Usage/Records/Daily.json":  {"usage_records", "StartDate"},
}

const twilioCanceled = "canceled" // before it was sent

func newTwilio(w *world) mockServer {
	w.notShown = map[condition]string{
		archived:      "no list leaves out a state; what is older than 13 months is not in the API at all",
		forbidden:     "no job has a parent whose items it requests",
		missingParent: "no job has a parent whose items it requests",
		absentKey:     "Twilio sends every key, with null where there is no value",
		errorIn200:    "Twilio reports every error by the status",
		expiredToken:  "an API key does not expire",
	}
	t := &twilio{world: w, lists: map[string][]*twilioItem{}, old: map[*twilioItem]string{}}
	for i := range 1100 { // three in each hour
		t.add("Messages.json", i, firstDay.Add(-time.Duration(1103-i)/3*time.Hour))
	}
	t.lists["Messages.json"][20].status = twilioCanceled
	for i := range 1000 {
		t.add("Calls.json", i, firstDay.Add(-time.Duration(1000-i)*time.Hour))
	}
	t.add("IncomingPhoneNumbers.json", 1, firstDay)
	for day := range 500 {
		t.add("Usage/Records/Daily.json", day, firstDay.AddDate(0, 0, day-499).Truncate(24*time.Hour))
	}
	return t
}

func (t *twilio) add(resource string, i int, at time.Time) {
	sid := fmt.Sprintf("%.2s%d", strings.ToUpper(resource), i)
	t.lists[resource] = slices.Insert(t.lists[resource], 0, &twilioItem{sid, "queued", at})
}

func (t *twilio) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	resource, ofAccount := strings.CutPrefix(r.URL.Path, "/2010-04-01/Accounts/your-account-sid/")
	kind, known := twilioKinds[resource]
	user, password, _ := r.BasicAuth()
	query := r.URL.Query()
	size, err := strconv.Atoi(query.Get("PageSize"))
	t.refuseIf(r.Host != "api.twilio.com" || !ofAccount || !known, "no such resource")
	t.refuseIf(user != "your-api-key-sid" || password != "your-api-key-secret", "wrong key")
	t.refuseIf(err != nil || size < 1 || size > 1000, "wrong PageSize")
	t.refuseIf(kind.member == "usage_records" && query.Get("IncludeSubaccounts") != "false",
		"the usage of subaccounts would be in the sums")
	t.requests[resource]++
	// too many requests at once, without Retry-After
	failIf(t.requests[resource] == 2, rw, http.StatusTooManyRequests, object{"code": 20429, "status": 429})
	if resource == "Messages.json" && t.requests[resource] == 3 { // news between two pages
		t.add(resource, 5000, t.Now())
		newest := t.lists[resource][1]
		t.old[newest], newest.status = newest.status, "delivered"
	}
	list, err := t.filtered(resource, query)
	t.refuseIf(err != nil, err)
	from := 0
	if token := query.Get("PageToken"); token != "" { // the page begins after this item
		from = slices.IndexFunc(list, func(i *twilioItem) bool { return "PA"+i.sid == token }) + 1
		t.refuseIf(from == 0, "Invalid PageToken")
	}
	if resource == "Calls.json" && from == 0 && size < len(list)+50 { // a page may have fewer
		t.shows(shortPage)
		size -= 100
	}
	page := cut(list, from, size)
	response := object{"page_size": size, "uri": r.URL.RequestURI(), "next_page_uri": nil}
	if len(page) == size { // after a full page there is another one, which may be empty
		next := url.Values{"PageToken": {"PA" + page[size-1].sid}}
		for key, values := range query {
			if key != "PageToken" {
				next[key] = values
			}
		}
		response["next_page_uri"] = r.URL.Path + "?" + next.Encode()
		t.showsIf(kind.member == "messages" && from+size < len(list) && list[from+size].at.Equal(page[size-1].at),
			tie)
	}
	items := []any{}
	for _, i := range page {
		items = append(items, t.item(kind.member, i))
	}
	// the list lacks a message that it had
	t.showsIf(t.nextDays && kind.member == "messages", deleted)
	response[kind.member] = items
	reply(rw, http.StatusOK, response)
}

func (t *twilio) filtered(resource string, query url.Values) ([]*twilioItem, error) {
	filter := twilioKinds[resource].filter
	list := slices.Clone(t.lists[resource])
	if filter == "" || !query.Has(filter) {
		return list, nil
	}
	since, err := time.Parse(time.DateOnly, query.Get(filter))
	return slices.DeleteFunc(list, func(i *twilioItem) bool { return i.at.Before(since) || i.status == twilioCanceled }), err
}

func (t *twilio) item(member string, i *twilioItem) object {
	t.shows(oddValue) // there is no price yet, and text instead of numbers
	at := i.at.Format(time.RFC1123Z)
	switch {
	case member == "usage_records":
		day := i.at.Format(time.DateOnly)
		count := "3"
		if i.at.Day()%2 == 0 {
			count = "0"
		}
		return object{"category": "sms", "start_date": day, "end_date": day, "count": count, "usage": count, "price": "0", "price_unit": "usd"}
	case i.status == twilioCanceled:
		return object{"sid": i.sid, "status": i.status, "date_sent": nil, "date_created": at, "price": nil, "body": ""}
	}
	return object{"sid": i.sid, "status": i.status, "date_sent": at, "start_time": at, "date_created": at, "price": nil, "body": "Hi, \"there\""}
}

func (t *twilio) nextDay() {
	t.nextDays = true
	t.lists["Messages.json"][3].status = "delivered"
	t.lists["Messages.json"] = slices.Delete(t.lists["Messages.json"], 5, 6)
	t.add("Messages.json", 6000, t.Now().Add(-time.Hour))
	t.add("Calls.json", 6000, t.Now().Add(-time.Hour))
	t.add("Usage/Records/Daily.json", 600, t.Now().Truncate(24*time.Hour))
}

func (t *twilio) expected(day int) tables {
	want := tables{}
	since := time.Time{}
	if day == 2 {
		since = firstDay.AddDate(0, 0, -7).Truncate(24 * time.Hour)
	}
	for resource, list := range t.lists {
		name := twilioKinds[resource].member
		for _, i := range list {
			switch {
			case name == "incoming_phone_numbers":
				want.add("phone_numbers", row{"sid": i.sid})
				continue
			case name == "usage_records":
				start := since
				if day == 1 {
					start = firstDay.AddDate(0, -13, 0).Truncate(24 * time.Hour)
				}
				if !i.at.Before(start) && i.at.Day()%2 == 1 {
					want.add("usage", row{"day": i.at.Format(time.DateOnly), "category": "sms", "count": "3"})
				}
				continue
			case i.at.Before(since), day == 2 && i.status == twilioCanceled, day == 1 && !i.at.Before(firstDay):
				continue
			}
			status := i.status
			if old := t.old[i]; day == 1 && old != "" {
				status = old
			}
			want.add(name, row{"sid": i.sid, "status": status})
		}
	}
	return want
}
