package apis

import (
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// microsoftGraph responds to delta queries: pages that lead to each other, and a link to what changes
// after the last one.
type microsoftGraph struct {
	entra
	// pages are the pages of each list for the first run and for the second.
	pages   map[string][2][][]any
	days    int
	expired bool // the delta links of earlier rounds
}

// graphSelect are the properties that the configuration selects.
var graphSelect = map[string]string{
	"users":  "displayName,userPrincipalName,mail,jobTitle,department,accountEnabled,userType,createdDateTime,assignedLicenses",
	"groups": "displayName,description,mail,securityEnabled,groupTypes,createdDateTime,members",
}

func newMicrosoftGraph(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "groups bring their members, so no list belongs to a parent",
		missingParent: "groups bring their members, so no list belongs to a parent",
		tie:           "a delta link is a state of the directory, not a time that two items could share",
		errorIn200:    "errors of Microsoft Graph have a status of 400 or above, except in batches, which are not used",
	}
	g := &microsoftGraph{entra: entra{world: w, scope: "http://graph.microsoft.com/.default"}, days: 1}
	users := make([][]any, 3)
	for i := range 250 {
		users[i/100] = append(users[i/100], g.user(i))
	}
	users = append(users, []any{g.removed("user-deleted", "deleted")})
	groups := [][]any{{}, {}} // an empty page in the middle
	groups[0] = append(groups[0], g.group(0, "user-1", "user-2"), g.group(1))
	groups = append(groups, []any{g.group(2, "user-2"), g.group(0, "user-3")}) // more members of the first group
	left := g.member("user-1")
	left["@removed"] = object{"reason": "deleted"}
	changed := g.group(0, "user-7")
	changed["displayName"] = "Renamed"
	changed["members@delta"] = append(changed["members@delta"].([]any), left)
	g.pages = map[string][2][][]any{
		"users":  {users, {{g.user(300), g.removed("user-5", "changed")}, {}}},
		"groups": {groups, {{changed, g.removed("group-1", "deleted")}}},
	}
	return g
}

func (g *microsoftGraph) user(i int) object {
	name := "user-" + strconv.Itoa(i)
	user := object{
		"id": name, "displayName": name, "userPrincipalName": name + "@example.com", "mail": nil, "accountEnabled": i%10 != 0, "userType": "Member",
		"createdDateTime": "2025-01-01T00:00:00Z", "assignedLicenses": []any{object{"disabledPlans": []any{}, "skuId": "sku-1"}},
	}
	if i%2 == 0 { // a property that was never set is not in the response
		user["jobTitle"] = "Engineer"
	}
	return user
}

func (g *microsoftGraph) group(i int, members ...string) object {
	name := "group-" + strconv.Itoa(i)
	group := object{"id": name, "displayName": name, "description": "Group " + strconv.Itoa(i), "securityEnabled": false, "groupTypes": []any{"Unified"}}
	if list := []any{}; len(members) > 0 {
		for _, m := range members {
			list = append(list, g.member(m))
		}
		group["members@delta"] = list
	}
	return group
}

func (g *microsoftGraph) member(id string) object {
	return object{"@odata.type": "#microsoft.graph.user", "id": id}
}

func (g *microsoftGraph) removed(id, reason string) object {
	return object{"id": id, "@removed": object{"reason": reason}}
}

func (g *microsoftGraph) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	switch r.Host {
	case "login.microsoftonline.com":
		g.login(rw, r)
	case "graph.microsoft.com":
		if r.URL.Path == "/v1.0/subscribedSkus" {
			g.licenses(rw, r)
		} else {
			g.delta(rw, r)
		}
	default:
		g.refuse("wrong host")
	}
}

// entra grants tokens for ten minutes to the apps of Microsoft Entra ID.
type entra struct {
	*world
	scope   string
	token   string
	expires time.Time
	logins  int
}

func (e *entra) login(rw http.ResponseWriter, r *http.Request) {
	want := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"your-client-id"}, "client_secret": {"your-client-secret"}, "scope": {e.scope},
	}
	err := r.ParseForm()
	e.refuseIf(err != nil || r.Method != http.MethodPost ||
		r.URL.Path != "/your-tenant-id/oauth2/v2.0/token" || r.PostForm.Encode() != want.Encode(),
		"wrong grant: "+r.PostForm.Encode())
	e.logins++
	e.token, e.expires = "token-"+strconv.Itoa(e.logins), e.Now().Add(10*time.Minute)
	reply(rw, http.StatusOK, object{"token_type": "Bearer", "expires_in": 600, "access_token": e.token})
}

// checkToken fails a request without a valid token. A
// token that has expired is no mistake: the client may learn it from this response.
func (e *entra) checkToken(rw http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") == "Bearer "+e.token && !e.Now().After(e.expires) {
		return
	}
	if !issued(r, "token-", e.logins) {
		e.Errorf("wrong token %q", r.Header.Get("Authorization"))
	}
	fail(rw, http.StatusUnauthorized, object{"error": object{"code": "InvalidAuthenticationToken", "message": "Lifetime validation failed, the token is expired."}})
}

func (g *microsoftGraph) delta(rw http.ResponseWriter, r *http.Request) {
	list := ""
	for name := range graphSelect {
		if r.URL.Path == "/v1.0/"+name+"/delta" {
			list = name
		}
	}
	query := r.URL.Query()
	g.refuseIf(list == "" || r.Method != http.MethodGet, "no such resource")
	g.checkToken(rw, r)
	if g.count(list) == 2 { // longer than the token is valid
		g.shows(expiredToken)
		fail(rw, http.StatusTooManyRequests, object{"error": object{"code": "TooManyRequests"}}, "Retry-After", "700")
	}
	if g.expired && query.Has("$deltatoken") {
		status, code := http.StatusBadRequest, "SyncStateNotFound"
		if list == "groups" {
			status, code = http.StatusGone, "resyncRequired"
		}
		reply(rw, status, object{"error": object{"code": code, "message": "The delta token is expired and data must be synchronized again."}})
		return
	}
	day, page := 1, 0
	var err error
	switch {
	case len(query) != 1:
		err = http.ErrNotSupported
	case query.Has("$select"):
		if query.Get("$select") != graphSelect[list] {
			err = http.ErrNotSupported
		}
	case query.Has("$deltatoken"):
		day, err = strconv.Atoi(query.Get("$deltatoken"))
	default:
		if day, err = strconv.Atoi(query.Get("$skiptoken")[:1]); err == nil {
			page, err = strconv.Atoi(query.Get("$skiptoken")[1:])
		}
	}
	g.refuseIf(err != nil || day != g.days, "the parameters are not those of this round")
	pages := g.pages[list][day-1]
	g.note(pages, page)
	response := object{"@odata.context": "https://graph.microsoft.com/v1.0/$metadata#" + list, "value": pages[page]}
	if page+1 < len(pages) {
		response["@odata.nextLink"] = address(r.Host, r.URL.Path+"?$skiptoken="+strconv.Itoa(day)+strconv.Itoa(page+1))
	} else {
		response["@odata.deltaLink"] = address(r.Host, r.URL.Path+"?$deltatoken="+strconv.Itoa(day+1))
	}
	reply(rw, http.StatusOK, response)
}

func (g *microsoftGraph) note(pages [][]any, page int) {
	g.showsIf(len(pages[page]) == 0 && page+1 < len(pages), shortPage)
	for _, item := range pages[page] {
		switch item := item.(object); {
		case item["@removed"] != nil:
			g.shows(deleted)
		case item["userPrincipalName"] == nil:
		case item["accountEnabled"] == false:
			g.shows(archived)
		case item["jobTitle"] == nil:
			g.shows(absentKey, oddValue) // and mail is null
		}
	}
}

// licenses are what the organization has bought. The list has no pages.
func (g *microsoftGraph) licenses(rw http.ResponseWriter, r *http.Request) {
	g.refuseIf(r.Method != http.MethodGet || r.URL.RawQuery != "", "wrong parameters")
	g.checkToken(rw, r)
	reply(rw, http.StatusOK, object{"value": []any{object{
		"id": "your-tenant-id_sku-1", "skuId": "sku-1", "skuPartNumber": "ENTERPRISEPACK", "capabilityStatus": "Enabled",
		"consumedUnits": 250 + g.days, "prepaidUnits": object{"enabled": 300, "suspended": 0, "warning": 0},
	}}})
}

// repeats: a group with many members comes on several pages.
func (g *microsoftGraph) repeats(table string) bool { return table == "groups" }

func (g *microsoftGraph) nextDay() {
	g.days++
}

func (g *microsoftGraph) forget() {
	g.expired, g.days = true, 1
}

func (g *microsoftGraph) expected(day int) tables {
	licenses := []row{{"sku_id": "sku-1", "name": "ENTERPRISEPACK", "consumed_units": strconv.Itoa(250 + g.days), "enabled_units": "300"}}
	if day == 2 {
		return tables{
			"licenses": licenses,
			"users": {
				{"id": "user-300", "display_name": "user-300", "removed": ""},
				{"id": "user-5", "display_name": "", "removed": "changed"},
			},
			"groups": {
				{"id": "group-0", "display_name": "Renamed", "description": "Group 0"},
				{"id": "group-1", "removed": "deleted"},
			},
			"group_members": {
				{"group_id": "group-0", "member_id": "user-7", "removed": ""},
				{"group_id": "group-0", "member_id": "user-1", "removed": "deleted"},
			},
		}
	}
	want := tables{
		"licenses": licenses,
		"users":    {{"id": "user-deleted", "removed": "deleted", "assigned_licenses": ""}},
		"groups":   {{"id": "group-0"}, {"id": "group-1"}, {"id": "group-2", "description": "Group 2", "group_types": `["Unified"]`}},
		"group_members": {
			{"group_id": "group-0", "member_id": "user-1", "type": "#microsoft.graph.user"},
			{"group_id": "group-0", "member_id": "user-2"},
			{"group_id": "group-0", "member_id": "user-3"},
			{"group_id": "group-2", "member_id": "user-2"},
		},
	}
	for i := range 250 {
		title, enabled := map[bool]string{true: "Engineer"}[i%2 == 0], map[bool]string{true: "1"}[i%10 != 0]
		name := "user-" + strconv.Itoa(i)
		want.add("users", row{
			"id": name, "user_principal_name": name + "@example.com", "job_title": title, "account_enabled": enabled, "mail": "",
			"assigned_licenses": `[{"disabledPlans":[],"skuId":"sku-1"}]`,
		})
	}
	return want
}
