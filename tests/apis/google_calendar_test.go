package apis

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// googleCalendar sends the calendars of a user and their events. A sync token brings what
// has changed since. Facts:
// https://developers.google.com/workspace/calendar/api/guides/sync,
// https://developers.google.com/workspace/calendar/api/v3/reference/events/list,
// https://developers.google.com/workspace/calendar/api/guides/errors.
type googleCalendar struct {
	googleAccount
	calendars []object
	// events are the events of each calendar in the order of their changes.
	events map[string][]googleEvent
	// version counts the changes. since is its value at the start of the day.
	version, since int
	expired        bool // the tokens of one calendar
}

// googleEvent is an event and the number of its latest change.
type googleEvent struct {
	fields  object
	version int
}

// The calendars.
const (
	googleOwn      = "you@your-company.com"
	googleHolidays = "en.usa#holiday@group.v.calendar.google.com"
	googleTeam     = "team@group.calendar.google.com"
	googlePrivate  = "private@group.calendar.google.com"
	googleGone     = "gone@group.calendar.google.com"
)

// googlePage is smaller than maxResults, as the documentation allows.
const googlePage = 40

func newGoogleCalendar(w *world) mockServer {
	w.notShown = map[condition]string{
		tie:        "a sync token is a state of the calendar, not a time that two events could share",
		errorIn200: "Google reports errors with their own status",
	}
	g := &googleCalendar{googleAccount: newGoogleAccount(w, "calendar.readonly"), events: map[string][]googleEvent{}}
	for _, id := range []string{googleOwn, googleHolidays, googleTeam, googlePrivate, googleGone} {
		calendar := object{"kind": "calendar#calendarListEntry", "id": id, "summary": "Calendar " + id, "timeZone": "Europe/Prague", "accessRole": "reader", "selected": true}
		switch id {
		case googleOwn:
			calendar["primary"], calendar["accessRole"] = true, "owner"
		case googleTeam:
			calendar["hidden"] = true
			delete(calendar, "selected")
		}
		g.calendars = append(g.calendars, calendar)
	}
	for i := range 100 {
		g.change(googleOwn, i, "confirmed")
	}
	for i := range 45 {
		g.change(googleTeam, i, "tentative")
	}
	g.change(googleHolidays, 1, "confirmed")
	g.change(googleOwn, 3, "cancelled")
	return g
}

// change creates, changes or deletes an event. A deleted event has few keys.
func (g *googleCalendar) change(calendar string, i int, status string) {
	id := "event" + strconv.Itoa(i)
	g.version++
	at := firstDay.Add(time.Duration(g.version) * time.Second).Format("2006-01-02T15:04:05.000Z")
	e := object{"kind": "calendar#event", "etag": `"1"`, "id": id, "status": status}
	if status != "cancelled" {
		e["summary"], e["created"], e["updated"], e["iCalUID"], e["eventType"] = "Meeting "+at, at, at, id+"@google.com", "default"
		e["creator"], e["organizer"] = object{"email": googleOwn, "self": true}, object{"email": calendar}
		e["start"], e["end"] = object{"dateTime": "2026-03-02T10:00:00+01:00", "timeZone": "Europe/Prague"}, object{"dateTime": "2026-03-02T11:00:00+01:00", "timeZone": "Europe/Prague"}
		switch {
		case calendar == googleHolidays:
			e["start"], e["end"] = object{"date": "2026-07-04"}, object{"date": "2026-07-05"}
		case i%10 == 0:
			e["recurrence"] = []any{"RRULE:FREQ=WEEKLY"}
			e["attendees"] = []any{object{"email": "a@example.com", "responseStatus": "needsAction"}, object{"displayName": nil, "email": "room@resource.calendar.google.com", "resource": true}}
		case i%10 == 1:
			delete(e, "summary") // the user may not see its details
			e["visibility"] = "private"
		case i%10 == 2:
			e["recurringEventId"], e["originalStartTime"] = "event0", object{"dateTime": "2026-03-02T09:00:00+01:00"}
			e["description"], e["location"] = "", "a, \"b\"\nc"
		}
	}
	isSame := func(other googleEvent) bool { return other.fields["id"] == id }
	g.events[calendar] = append(slices.DeleteFunc(g.events[calendar], isSame), googleEvent{e, g.version})
}

func (g *googleCalendar) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Host == "oauth2.googleapis.com" {
		var claims struct{ Sub string }
		err := r.ParseForm()
		if err == nil {
			err = readJWT(r.PostForm.Get("assertion"), isRS256, &struct{}{}, &claims)
		}
		g.refuseIf(err != nil || claims.Sub != googleOwn, "the token is for another user", err)
	}
	if !g.admit(rw, r) {
		return
	}
	g.refuseIf(r.Host != "www.googleapis.com" || r.Method != http.MethodGet, "no such resource")
	if g.count("") == 3 {
		g.error(rw, http.StatusForbidden, "usageLimits", "rateLimitExceeded", "Rate Limit Exceeded")
	}
	if r.URL.Path == "/calendar/v3/users/me/calendarList" {
		g.list(rw, r)
		return
	}
	id, isEvents := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/calendar/v3/calendars/"), "/events")
	g.refuseIf(!isEvents, "no such resource")
	switch id {
	case googlePrivate:
		g.shows(forbidden)
		g.error(rw, http.StatusForbidden, "global", "forbidden", "Forbidden")
	case googleGone:
		g.shows(missingParent)
		g.error(rw, http.StatusNotFound, "global", "notFound", "Not Found")
	}
	g.refuseIf(g.events[id] == nil, "no such calendar")
	g.sync(rw, r, id)
}

func (g *googleCalendar) error(rw http.ResponseWriter, status int, domain, reason, message string) {
	fail(rw, status, object{"error": object{"code": status, "message": message, "errors": []any{object{"domain": domain, "reason": reason, "message": message}}}})
}

// list sends the calendars in two pages.
func (g *googleCalendar) list(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	g.refuseIf(query.Get("maxResults") != "250" || query.Get("showHidden") != "true" || len(query) > 3, "wrong parameters")
	if query.Get("pageToken") == "second" {
		g.shows(archived) // a hidden calendar
		reply(rw, http.StatusOK, object{"kind": "calendar#calendarList", "nextSyncToken": "calendars", "items": g.calendars[2:]})
		return
	}
	g.refuseIf(query.Has("pageToken"), "no such page")
	reply(rw, http.StatusOK, object{"kind": "calendar#calendarList", "nextPageToken": "second", "items": g.calendars[:2]})
}

// sync sends the events of a calendar, or the changes since a token. An empty
// page comes before the others.
func (g *googleCalendar) sync(rw http.ResponseWriter, r *http.Request, id string) {
	query := r.URL.Query()
	since, page := 0, 0
	var err error
	if token := query.Get("syncToken"); query.Has("syncToken") {
		since, err = strconv.Atoi(strings.TrimPrefix(token, id+"="))
		g.refuseIf(err != nil || since != g.since, fmt.Sprintf("the token %q is not the last one of this calendar", token))
		if g.expired && id == googleTeam {
			g.error(rw, http.StatusGone, "calendar", "fullSyncRequired", "Sync token is no longer valid, a full sync is required.")
		}
	}
	if query.Has("pageToken") {
		page, err = strconv.Atoi(strings.TrimPrefix(query.Get("pageToken"), "page"))
	}
	g.refuseIf(err != nil || query.Get("maxResults") != "2500" || query.Get("showDeleted") != "true", "wrong parameters")
	for name := range query {
		g.refuseIf(!slices.Contains([]string{"maxResults", "showDeleted", "syncToken", "pageToken"}, name), "the parameter "+name+" cannot be combined with a sync token")
	}
	var found []any
	for _, e := range g.events[id] {
		if e.version > since {
			found = append(found, e.fields)
		}
	}
	body := object{"kind": "calendar#events", "summary": "Calendar " + id, "timeZone": "Europe/Prague", "updated": nil, "items": []any{}}
	from, next := (page-1)*googlePage, "page"+strconv.Itoa(page+1)
	if page == 0 {
		g.showsIf(len(found) > 0, shortPage)
		from, next = 0, "page1"
	} else {
		body["items"] = cut(found, from, googlePage)
		from += googlePage
	}
	g.note(body["items"].([]any))
	if from < len(found) || page == 0 && len(found) > 0 {
		body["nextPageToken"] = next
	} else {
		body["nextSyncToken"] = id + "=" + strconv.Itoa(g.version)
	}
	reply(rw, http.StatusOK, body)
}

func (g *googleCalendar) note(page []any) {
	for _, item := range page {
		event := item.(object)
		g.showsIf(event["status"] == "cancelled", deleted)
		g.showsIf(event["summary"] == nil, absentKey)
		g.showsIf(event["description"] == "", oddValue)
	}
}

func (g *googleCalendar) nextDay() {
	g.since = g.version
	g.change(googleOwn, 5, "cancelled")
	g.change(googleOwn, 200, "confirmed")
	g.change(googleTeam, 7, "confirmed")
}

// forget lets the token of one calendar expire.
func (g *googleCalendar) forget() {
	g.since, g.expired = g.version, true
}

func (g *googleCalendar) expected(day int) tables {
	want := tables{}
	for _, calendar := range g.calendars {
		id := calendar["id"].(string)
		want.add("calendars", row{"id": id, "name": "Calendar " + id, "primary": map[any]string{true: "1"}[calendar["primary"]]})
		for _, e := range g.events[id] {
			if day > 1 && e.version <= g.since && (day == 2 || id != googleTeam) {
				continue
			}
			text := func(name string) string {
				if e.fields[name] == nil {
					return ""
				}
				return e.fields[name].(string)
			}
			want.add("events", row{"calendar_id": id, "id": text("id"), "status": text("status"), "summary": text("summary"), "updated": text("updated"), "recurring_event_id": text("recurringEventId")})
		}
	}
	return want
}
