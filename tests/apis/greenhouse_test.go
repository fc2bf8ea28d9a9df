package apis

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// greenhouse is the Harvest API v3 of an account. Facts:
//   - a list is sent by id, the greatest first; the header Link has the next page, and a
//     request with a cursor has no other parameter, or it is a 422:
//     https://harvestdocs.greenhouse.io/docs/pagination
//   - per_page is 100 unless requested, and at most 500; the limit is counted in fixed
//     windows of 30 seconds, 75 requests were seen: AGENTS.md of Airbyte's source-greenhouse
//   - a token ends at expires_at: https://harvestdocs.greenhouse.io/docs/authentication
//   - users of integrations and the default rejection reasons are left out, unless a
//     parameter requests them: the same notes. The default and the maximum of per_page, and
//     updated_at=gte|time: https://harvestdocs.greenhouse.io/reference/get_v3-applications
//   - a list of candidates that is not ready may be an object with a message: a summary of
//     the reference of v3.
type greenhouse struct {
	*world
	lists  map[string][]*greenhouseItem // by id
	tokens map[string]time.Time
	// sent counts the requests of the window that began at a time.
	sent  int
	since time.Time
}

type greenhouseItem struct {
	id      int
	updated time.Time
	fields  object
	// option is the parameter without which the item is left out.
	option string
	// isHidden says that the user of the credential may not see the item.
	isHidden bool
	// isDeleted says that the item was deleted.
	isDeleted bool
	// isLate says that the item was created after the first page of its list.
	isLate bool
}

const (
	greenhousePage    = 500
	greenhouseDefault = 100
	greenhouseLimit   = 75
)

// greenhouseOptions are the parameters of the lists besides per_page and cursor.
var greenhouseOptions = map[string][]string{
	"candidates": {"updated_at"}, "applications": {"updated_at"}, "application_stages": {"updated_at"}, "rejection_details": {"updated_at"},
	"jobs": {"updated_at"}, "job_interview_stages": {"updated_at"}, "offers": {"updated_at"}, "scorecards": {"updated_at"}, "users": {"updated_at", "show_service_accounts"},
	"departments": {"updated_at"}, "offices": {"updated_at"}, "sources": {"updated_at"}, "rejection_reasons": {"updated_at", "include_defaults"},
}

func newGreenhouse(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "no list is requested for a parent: a missing scope refuses a whole list, and the run fails",
		missingParent: "no list is requested for a parent",
	}
	g := &greenhouse{world: w, since: w.Now(), tokens: map[string]time.Time{}, lists: map[string][]*greenhouseItem{}}
	old := firstDay.AddDate(0, -3, 0)
	for i := range 1203 {
		g.application(i+1, old.Add(time.Duration(i)*time.Minute), "in_process")
	}
	g.application(11, firstDay.Add(-time.Hour), "hired") // where the lookback of the next run starts
	prospect := g.lists["applications"][6].fields
	prospect["job_id"], prospect["stage_name"], prospect["job_interview_stage_id"], prospect["prospect"] = nil, nil, nil, true
	for i := range 1000 { // exactly two pages
		g.candidate(i+1, old, "Ann")
		g.stage(i+1, old, nil)
	}
	// Most candidates are hidden from the user, and take space in the pages. So one list takes
	// more requests than a window allows.
	for i := range greenhouseLimit * greenhousePage {
		if id := 1001 + i; i%400 == 0 {
			g.candidate(id, old, "Ann")
		} else {
			g.lists["candidates"] = append(g.lists["candidates"], &greenhouseItem{id: id, updated: old, isHidden: true})
		}
	}
	for i := range 620 {
		g.add("jobs", i+1, old, object{
			"name": "Engineer", "requisition_id": "", "status": "open", "confidential": false, "is_template": nil, "department_id": 1,
			"office_ids": []any{1, 2}, "opened_at": old.Format(time.RFC3339), "closed_at": nil, "custom_fields": greenhouseCustom,
		})
	}
	g.lists["jobs"][610].isHidden = true // confidential, and the user is not on its hiring team
	g.application(30, old, "rejected")
	for i := range 3 {
		g.add("job_interview_stages", i+1, old, object{"job_id": 1, "name": "Stage " + strconv.Itoa(i), "sort_order": i, "active": i != 2})
		g.add("offices", i+1, old, object{"name": "Office", "parent_id": nil, "external_id": nil, "location": "Brno"})
		g.add("users", i+1, old, object{
			"first_name": "Eva", "last_name": "N", "primary_email": "eva@example.com", "job_title": nil, "employee_id": nil,
			"deactivated": i == 1, "site_admin": i == 0, "department_ids": []any{}, "office_ids": []any{1},
		})
	}
	service := g.lists["users"][2]
	service.option = "show_service_accounts"
	delete(service.fields, "primary_email")
	g.offer(1, old, 1, "Deprecated")
	g.offer(2, old, 2, "Created")
	g.scorecard(1, old, "draft", nil)
	g.scorecard(2, old, "complete", "yes")
	g.add("departments", 1, old, object{"name": "Research", "parent_id": nil, "external_id": "R-1"})
	g.add("sources", 1, old, object{"name": "LinkedIn", "type": object{"id": 4, "name": "Prospecting"}})
	for i, name := range []string{"Spam", "Too junior"} {
		g.add("rejection_reasons", i+1, old, object{"name": name, "type": object{"id": 1, "key": "WE_REJECTED_THEM", "name": "We rejected them"}})
	}
	g.lists["rejection_reasons"][0].option = "include_defaults"
	return g
}

// greenhouseCustom are custom fields: one has no value.
var greenhouseCustom = object{"level": object{"name": "Level", "type": "single_select", "value": nil}}

func (g *greenhouse) add(list string, id int, updated time.Time, fields object) *greenhouseItem {
	item := &greenhouseItem{id: id, updated: updated, fields: fields}
	fields["id"], fields["created_at"], fields["updated_at"] = id, "2025-11-30T08:00:00.000Z", updated.UTC().Format("2006-01-02T15:04:05.000Z")
	i, found := slices.BinarySearchFunc(g.lists[list], id, func(item *greenhouseItem, id int) int { return item.id - id })
	if found {
		g.lists[list][i] = item
	} else {
		g.lists[list] = slices.Insert(g.lists[list], i, item)
	}
	return item
}

func (g *greenhouse) candidate(id int, updated time.Time, name string) *greenhouseItem {
	return g.add("candidates", id, updated, object{
		"first_name": name, "last_name": "Nováková", "preferred_name": nil, "company": "", "title": nil, "private": id == 5, "can_email": true,
		"email_addresses": []any{object{"type": "work", "value": "ann@example.com"}}, "phone_numbers": []any{}, "tags": []any{"2026-grad"},
		"custom_fields": greenhouseCustom, "last_activity_at": nil,
	})
}

func (g *greenhouse) application(id int, updated time.Time, status string) *greenhouseItem {
	fields := object{
		"candidate_id": id % 1000, "job_id": 1 + id%600, "job_post_id": nil, "prospect": false, "status": status, "stage_name": "Stage 1",
		"job_interview_stage_id": 2, "source_id": 1, "referrer_id": nil, "recruiter_id": 1, "coordinator_id": nil, "needs_decision": false,
		"rejected_at": nil, "location_address": "", "custom_fields": object{}, "last_activity_at": nil,
	}
	if status == "rejected" {
		fields["rejected_at"] = "2026-03-02T12:00:00.000Z"
		g.add("rejection_details", id, updated, object{
			"application_id": id, "rejection_reason_id": 1, "rejected_by_id": nil, "rejected_at": fields["rejected_at"],
		})
	}
	return g.add("applications", id, updated, fields)
}

func (g *greenhouse) stage(id int, updated time.Time, exited any) {
	g.add("application_stages", id, updated, object{
		"application_id": id, "job_interview_stage_id": 1 + id%3, "current": exited == nil, "entered_at": nil, "exited_at": exited,
	})
}

func (g *greenhouse) offer(id int, updated time.Time, version int, status string) {
	g.add("offers", id, updated, object{
		"application_id": 11, "candidate_id": 11, "job_id": 12, "opening_id": nil, "version": version, "status": status,
		"sent_on": "2026-02-01", "starts_on": nil, "resolved_at": nil, "custom_fields": greenhouseCustom,
	})
}

func (g *greenhouse) scorecard(id int, updated time.Time, status string, rating any) {
	g.add("scorecards", id, updated, object{
		"application_id": 11, "interview_kit_id": 3, "interviewer_id": 1, "submitter_id": 1, "status": status, "candidate_rating": rating,
		"interviewed_at": nil, "submitted_at": nil,
	})
}

func (g *greenhouse) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	list, ok := strings.CutPrefix(r.URL.Path, "/v3/")
	end, known := g.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if r.Host == "auth.greenhouse.io" && r.URL.Path == "/token" {
		g.login(rw, r)
		return
	}
	g.refuseIf(r.Host != "harvest.greenhouse.io" || r.Method != http.MethodGet || !ok || greenhouseOptions[list] == nil,
		"no such list")
	g.refuseIf(!known, "no such token")
	g.limits(rw)
	if !g.Now().Before(end) || g.requests[""] == 6 {
		g.shows(expiredToken)
		fail(rw, http.StatusUnauthorized, object{"errors": []any{"The access token is invalid."}})
	}
	g.list(rw, r, list)
}

func (g *greenhouse) login(rw http.ResponseWriter, r *http.Request) {
	client := "Basic " + base64.StdEncoding.EncodeToString([]byte("your-client-id:your-client-secret"))
	g.refuseIf(r.Method != http.MethodPost || r.Header.Get("Authorization") != client ||
		r.PostFormValue("grant_type") != "client_credentials", "invalid_client")
	token := fmt.Sprintf("token-%d", len(g.tokens)+1)
	g.tokens[token] = g.Now().Add(time.Hour)
	reply(rw, http.StatusOK, object{"access_token": token, "token_type": "Bearer", "expires_at": g.tokens[token].UTC().Format("2006-01-02T15:04:05-0700")})
}

// limits counts a request, and refuses it if there are too many in this window or if
// another program has used it up.
func (g *greenhouse) limits(rw http.ResponseWriter) {
	if g.Now().Sub(g.since) >= 30*time.Second {
		g.since, g.sent = g.Now(), 0
	}
	g.sent++
	g.refuseIf(g.sent > greenhouseLimit, "too many requests in 30 seconds")
	failIf(g.count("") == 4, rw, http.StatusTooManyRequests, object{"message": "Rate limit exceeded"}, "Retry-After", "17")
}

// greenhouseCursor is what the text of a cursor says.
type greenhouseCursor struct {
	Before, Size int
	Since        time.Time
	Options      []string
}

func (g *greenhouse) list(rw http.ResponseWriter, r *http.Request, list string) {
	cursor, err := greenhouseQuery(r, list)
	g.refuseIf(err != nil, err)
	if g.requests[list]++; list == "candidates" && g.requests[list] == 2 {
		g.shows(errorIn200)
		reply(rw, http.StatusOK, object{"message": "The request is being processed."})
		return
	}
	page, next := g.page(list, cursor)
	if next != nil {
		text, err := json.Marshal(next)
		if err != nil {
			g.Error(err)
		}
		rw.Header().Set("Link", fmt.Sprintf(`<%s?cursor=%s>; rel="next"`, address(r.Host, r.URL.Path), base64.RawURLEncoding.EncodeToString(text)))
	}
	reply(rw, http.StatusOK, page)
	if list == "applications" && g.requests[list] == 1 { // the list changes while it is read
		g.application(600, firstDay.Add(time.Minute), "hired")
		g.application(1300, firstDay.Add(time.Minute), "in_process").isLate = true
	}
}

func greenhouseQuery(r *http.Request, list string) (greenhouseCursor, error) {
	query := r.URL.Query()
	c := greenhouseCursor{Before: 1 << 40, Size: greenhouseDefault}
	if query.Has("cursor") {
		if len(query) > 1 {
			return c, fmt.Errorf("a cursor with other parameters")
		}
		text, err := base64.RawURLEncoding.DecodeString(query.Get("cursor"))
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		return c, err
	}
	for name, values := range query {
		var err error
		switch {
		case name == "per_page":
			c.Size, err = strconv.Atoi(values[0])
		case !slices.Contains(greenhouseOptions[list], name):
			err = fmt.Errorf("the list has no parameter %s", name)
		case name == "updated_at":
			operator, at, _ := strings.Cut(values[0], "|")
			if c.Since, err = time.Parse(time.RFC3339, at); operator != "gte" {
				err = fmt.Errorf("updated_at is %s", values[0])
			}
		case values[0] == "true":
			c.Options = append(c.Options, name)
		}
		if err != nil {
			return c, err
		}
	}
	if c.Size < 1 || c.Size > greenhousePage {
		return c, fmt.Errorf("per_page must be between 1 and 500")
	}
	return c, nil
}

func (g *greenhouse) page(list string, c greenhouseCursor) ([]object, *greenhouseCursor) {
	sent := []object{}
	found := 0
	for _, item := range slices.Backward(g.lists[list]) {
		switch {
		case item.id >= c.Before || item.updated.Before(c.Since) || item.option != "" && !slices.Contains(c.Options, item.option):
			continue
		case item.isDeleted:
			g.shows(deleted)
			continue
		case found == c.Size:
			g.showsIf(len(sent) < found, shortPage)
			return sent, &c
		}
		found++
		if c.Before = item.id; item.isHidden {
			continue
		}
		g.note(item, c.Since)
		sent = append(sent, item.fields)
	}
	return sent, nil
}

func (g *greenhouse) note(item *greenhouseItem, since time.Time) {
	g.showsIf(item.fields["active"] == false || item.fields["deactivated"] == true, archived)
	g.showsIf(item.option == "show_service_accounts", absentKey)
	// neither a job nor a stage
	g.showsIf(item.fields["prospect"] == true, oddValue)
	g.showsIf(item.updated.Equal(since), tie)
}

func (g *greenhouse) nextDay() {
	changed := firstDay.Add(6 * time.Hour)
	g.application(7, changed, "converted")
	g.application(8, changed, "rejected")
	g.application(9, firstDay.Add(-10*time.Minute), "rejected") // it was not yet visible to the first run
	g.application(1301, changed, "in_process")
	g.application(20, changed, "in_process").isDeleted = true
	g.candidate(3, changed, "Anna")
	g.stage(8, changed, "2026-03-02T12:00:00.000Z")
	g.stage(1001, changed, nil)
	g.offer(2, changed, 2, "Accepted")
	g.scorecard(1, changed, "complete", "strong_yes")
	g.lists["users"][0].fields["deactivated"] = true
}

func (g *greenhouse) expected(day int) tables {
	want := tables{}
	for list, items := range g.lists {
		isIncremental := !slices.Contains([]string{"users", "departments", "offices", "sources", "rejection_reasons"}, list)
		table := strings.Replace(list, "job_interview_stages", "job_stages", 1)
		for _, item := range items {
			if item.isHidden || item.isDeleted || day == 1 && item.isLate || day == 2 && isIncremental && item.updated.Before(firstDay.Add(-time.Hour)) {
				continue
			}
			r := row{}
			for name, v := range item.fields {
				switch {
				case name == "type" && table == "sources":
					r["strategy"] = v.(object)["name"].(string)
				case name == "type":
					r["type"] = v.(object)["key"].(string)
				case name == "job_interview_stage_id":
					r["job_stage_id"] = g.cell(v)
				default:
					r[name] = g.cell(v)
				}
			}
			want.add(table, r)
		}
	}
	return want
}

func (g *greenhouse) cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		return map[bool]string{true: "1"}[v]
	case string, int:
		return fmt.Sprint(v)
	default:
		text, err := json.Marshal(v)
		if err != nil {
			g.Error(err)
		}
		return string(text)
	}
}
