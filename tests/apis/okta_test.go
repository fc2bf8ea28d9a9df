package apis

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// okta has tokens of an hour for a signed assertion, and lists with a header Link. Lists leave
// out deprovisioned users and inactive apps unless a parameter includes them. The log is in the
// order in which it was written, its pages never end, and the last ones are empty.
type okta struct {
	*world
	users, groups, apps []object
	members             map[string][]object // by the path of the list
	log                 []oktaEvent         // in the order in which it was written
	tokens              map[string]*oktaToken
	assertions          map[string]bool
	refused             time.Time // until when there is no capacity
}

type oktaToken struct {
	ends time.Time
	left int // requests before it is revoked
}

// oktaEvent is an event of the log. It may be written later than it is published.
type oktaEvent struct {
	published, written time.Time
	number             int
}

const (
	oktaHost   = "your-org.okta.com"
	oktaScopes = "okta.users.read okta.groups.read okta.apps.read okta.logs.read"
	// oktaGone is a group that is deleted between the list of groups and that of its members.
	oktaGone = "g-gone"
	// oktaLeaver is a deprovisioned user who is deleted after the first run.
	oktaLeaver = "u40"
)

func newOkta(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:  "lists have only what the role of the app may see; a 403 is a scope or a role that is missing for all",
		errorIn200: "errors of Okta have a status of their own",
	}
	o := &okta{world: w, members: map[string][]object{}, tokens: map[string]*oktaToken{}, assertions: map[string]bool{}}
	for i := range 520 {
		user := object{
			"id": fmt.Sprint("u", i), "status": "ACTIVE", "type": object{"id": "otp1"}, "created": "2025-01-01T00:00:00.000Z", "activated": nil,
			"lastLogin": nil, "lastUpdated": "2025-01-02T00:00:00.000Z", "profile": object{"login": fmt.Sprintf("u%d@example.com", i), "email": fmt.Sprintf("u%d@example.com", i)},
		}
		if i%2 == 0 {
			user["lastLogin"] = "2026-03-01T00:00:00.000Z"
		}
		if i%40 == 0 {
			user["status"] = "DEPROVISIONED"
			user["profile"] = object{"login": fmt.Sprintf("u%d@example.com", i)}
		}
		o.users = append(o.users, user)
	}
	for i := range 5 {
		o.addGroup(fmt.Sprint("g", i), 110*i)
	}
	o.addGroup(oktaGone, 3)
	for i := range 3 {
		id := fmt.Sprint("a", i)
		status := map[bool]string{true: "INACTIVE", false: "ACTIVE"}[i == 2]
		o.apps = append(o.apps, object{"id": id, "name": "app", "label": "App " + id, "status": status, "signOnMode": "SAML_2_0", "created": "2025-01-01T00:00:00.000Z", "lastUpdated": "2025-01-01T00:00:00.000Z"})
		o.members["apps/"+id+"/users"], o.members["apps/"+id+"/groups"] = []object{}, []object{}
		for m := range 260 * i {
			o.members["apps/"+id+"/users"] = append(o.members["apps/"+id+"/users"], object{"id": fmt.Sprint("u", m), "scope": "USER", "status": "ACTIVE", "credentials": object{"userName": "x"}, "created": "2025-01-01T00:00:00.000Z", "lastUpdated": "2025-01-01T00:00:00.000Z"})
		}
		for g := range 2 * i {
			o.members["apps/"+id+"/groups"] = append(o.members["apps/"+id+"/groups"], object{"id": fmt.Sprint("g", g), "priority": g, "lastUpdated": "2025-01-01T00:00:00.000Z"})
		}
	}
	for i := range 2300 {
		published := firstDay.Add(-10*time.Minute - time.Duration(2300-i)/2*time.Minute) // two at a time
		o.log = append(o.log, oktaEvent{published, published, i})
	}
	return o
}

func (o *okta) addGroup(id string, members int) {
	o.groups = append(o.groups, object{"id": id, "type": "OKTA_GROUP", "profile": object{"name": "Group " + id, "description": nil}, "created": "2025-01-01T00:00:00.000Z", "lastUpdated": "2025-01-01T00:00:00.000Z", "lastMembershipUpdated": "2025-01-01T00:00:00.000Z"})
	o.members["groups/"+id+"/users"] = []object{}
	for m := range members {
		o.members["groups/"+id+"/users"] = append(o.members["groups/"+id+"/users"], object{"id": fmt.Sprint("u", m), "status": "ACTIVE"})
	}
}

// keys is the key of the app, the only one that the tests have.
func (o *okta) keys() map[string]string { return o.privateKey(googleKey()) }

func (o *okta) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path, found := strings.CutPrefix(r.URL.Path, "/api/v1/")
	token := o.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	switch {
	case r.Host == oktaHost && r.URL.Path == "/oauth2/v1/token":
		o.refuseError(o.login(r))
		name := fmt.Sprint("token-", len(o.tokens))
		o.tokens[name] = &oktaToken{o.Now().Add(time.Hour), 10 + 1000*len(o.tokens)}
		reply(rw, http.StatusOK, object{"token_type": "Bearer", "expires_in": 3600, "access_token": name, "scope": oktaScopes})
		return
	case r.Host != oktaHost || !found || r.Method != http.MethodGet:
		o.refuse("no such address")
	case token == nil:
		o.refuse("unknown token")
	}
	if o.count("all") == 3 {
		o.refused = o.Now().Add(30 * time.Second)
	}
	if o.Now().Before(o.refused) {
		rw.Header().Set("X-Rate-Limit-Reset", strconv.FormatInt(o.refused.Unix(), 10))
		oktaError(rw, http.StatusTooManyRequests, "E0000047")
		return
	}
	if token.left--; token.left < 0 || o.Now().After(token.ends) {
		o.shows(expiredToken)
		oktaError(rw, http.StatusUnauthorized, "E0000011")
		return
	}
	o.list(rw, r, path)
}

func oktaError(rw http.ResponseWriter, status int, code string) {
	reply(rw, status, object{"errorCode": code, "errorSummary": "an error", "errorCauses": []any{}})
}

func (o *okta) login(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	if r.Method != http.MethodPost || len(r.PostForm) != 4 || r.PostForm.Get("grant_type") != "client_credentials" || r.PostForm.Get("scope") != oktaScopes ||
		r.PostForm.Get("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" {
		return fmt.Errorf("not a grant with client credentials: %s", r.PostForm.Encode())
	}
	var header struct{ Alg, Kid string }
	var claims struct {
		Iss, Sub, Aud, Jti string
		Iat, Exp           int64
	}
	if err := readJWT(r.PostForm.Get("client_assertion"), isRS256, &header, &claims); err != nil {
		return err
	}
	now := o.Now().Unix()
	if header.Alg != "RS256" || header.Kid != "your-key-id" || claims.Iss != "your-client-id" || claims.Sub != claims.Iss || claims.Aud != address(oktaHost, "/oauth2/v1/token") ||
		claims.Iat > now || claims.Exp <= now || claims.Exp > now+3600 || claims.Jti == "" || o.assertions[claims.Jti] {
		return fmt.Errorf("header %+v, claims %+v at %d", header, claims, now)
	}
	o.assertions[claims.Jti] = true
	return nil
}

// oktaLimits are the greatest pages of each list, by the last part of its path.
var oktaLimits = map[string]int{"users": 200, "groups": 200, "apps": 200, "logs": 1000}

func (o *okta) list(rw http.ResponseWriter, r *http.Request, path string) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	most := oktaLimits[path[strings.LastIndex(path, "/")+1:]]
	if strings.HasPrefix(path, "apps/") && strings.HasSuffix(path, "/users") {
		most = 500
	}
	o.refuseIf(err != nil || limit < 1 || limit > most, "E0000001: limit")
	query.Del("limit")
	query.Del("after")
	var all []object
	switch path {
	case "logs":
		o.logs(rw, r, limit)
		return
	case "users":
		all = o.users
		if query.Get("filter") != `lastUpdated ge "1970-01-01T00:00:00.000Z"` {
			all = without(all, func(user object) bool { return user["status"] == "DEPROVISIONED" })
		} else {
			o.shows(archived, absentKey, oddValue)
		}
		o.showsIf(!slices.ContainsFunc(all, func(user object) bool { return user["id"] == oktaLeaver }),
			deleted)
		query.Del("filter")
	case "groups":
		all = o.groups
	case "apps":
		all = o.apps
		if query.Get("includeNonDeleted") != "true" {
			all = without(all, func(app object) bool { return app["status"] != "ACTIVE" })
		}
		query.Del("includeNonDeleted")
	case "groups/" + oktaGone + "/users":
		o.shows(missingParent)
		oktaError(rw, http.StatusNotFound, "E0000007")
		return
	default:
		all = o.members[path]
	}
	o.refuseIf(all == nil || len(query) > 0, "unknown list or parameters "+query.Encode())
	from, err := oktaAfter(r)
	o.refuseIf(err != nil || from > len(all), "E0000031: after")
	to := min(from+limit, len(all))
	if from == 0 && to < len(all) {
		to -= 20 // a page may have fewer than the limit
		o.shows(shortPage)
	}
	o.page(rw, r, all[from:to], to, to < len(all))
}

func oktaAfter(r *http.Request) (int, error) {
	if !r.URL.Query().Has("after") {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(r.URL.Query().Get("after"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(text))
}

// page responds with items. The address of the next page is in a header of its own.
func (o *okta) page(rw http.ResponseWriter, r *http.Request, items any, next int, more bool) {
	link := func(query url.Values, rel string) {
		rw.Header().Add("Link", fmt.Sprintf(`<%s>; rel="%s"`, address(r.Host, r.URL.Path+"?"+query.Encode()), rel))
	}
	link(r.URL.Query(), "self")
	if more {
		query := maps.Clone(r.URL.Query())
		query.Set("after", base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(next))))
		link(query, "next")
	}
	reply(rw, http.StatusOK, items)
}

// logs responds with events that were written since a time. There is a next page in any
// case.
func (o *okta) logs(rw http.ResponseWriter, r *http.Request, limit int) {
	query := r.URL.Query()
	since, err := time.Parse("2006-01-02T15:04:05.000Z", query.Get("since"))
	from, err2 := oktaAfter(r)
	o.refuseIf(err != nil || err2 != nil || query.Get("sortOrder") != "ASCENDING" ||
		query.Has("until") || len(query) > 4, "E0000001: not a polling request")
	events := []object{}
	for from < len(o.log) && len(events) < limit {
		if e := o.log[from]; !e.written.Before(since) {
			event := object{
				"uuid": fmt.Sprint("event-", e.number), "published": e.published.Format("2006-01-02T15:04:05.000Z"), "eventType": "user.session.start", "severity": "INFO", "displayMessage": nil,
				"outcome": object{"result": "SUCCESS"}, "actor": object{"id": "u1", "type": "User", "alternateId": "u1@example.com"},
				"client": object{"ipAddress": "192.0.2.1"}, "transaction": object{"id": "t"}, "target": nil,
			}
			if e.number%2 == 0 {
				event["outcome"] = object{"result": "FAILURE", "reason": "INVALID_CREDENTIALS"}
			}
			events = append(events, event)
		}
		from++
	}
	o.showsIf(from < len(o.log) && from > 0 && o.log[from].published.Equal(o.log[from-1].published), tie)
	o.refuseIf(len(events) == 0, "the run follows the log without an end")
	o.page(rw, r, events, from, true)
}

func (o *okta) nextDay() {
	o.users = slices.DeleteFunc(o.users, func(user object) bool { return user["id"] == oktaLeaver })
	o.users[7]["status"] = "DEPROVISIONED"
	o.users[8]["lastLogin"] = "2026-03-02T12:00:00.000Z" // does not change lastUpdated
	o.members["groups/g1/users"] = o.members["groups/g1/users"][1:]
	o.members["apps/a1/users"] = o.members["apps/a1/users"][:100]
	o.addGroup("g9", 2)
	o.log = append(o.log, oktaEvent{firstDay.Add(-20 * time.Minute), firstDay.Add(time.Minute), 5000}) // it was written late
	for i := range 30 {
		at := firstDay.Add(time.Duration(i) * time.Hour / 2)
		o.log = append(o.log, oktaEvent{at, at, 6000 + i})
	}
}

func (o *okta) expected(day int) tables {
	want := tables{}
	for _, u := range o.users {
		email, _ := u["profile"].(object)["email"].(string)
		login, _ := u["lastLogin"].(string)
		want.add("users", row{"id": u["id"].(string), "status": u["status"].(string), "email": email, "last_login": login})
	}
	for _, g := range o.groups {
		id := g["id"].(string)
		want.add("groups", row{"id": id, "name": "Group " + id})
		if id == oktaGone {
			continue
		}
		for _, m := range o.members["groups/"+id+"/users"] {
			want.add("group_members", row{"group_id": id, "user_id": m["id"].(string)})
		}
	}
	for _, a := range o.apps {
		id := a["id"].(string)
		want.add("apps", row{"id": id, "status": a["status"].(string)})
		for _, m := range o.members["apps/"+id+"/users"] {
			want.add("app_users", row{"app_id": id, "user_id": m["id"].(string), "scope": "USER"})
		}
		for _, g := range o.members["apps/"+id+"/groups"] {
			want.add("app_groups", row{"app_id": id, "group_id": g["id"].(string)})
		}
	}
	since := firstDay.AddDate(0, 0, -90)
	if day == 2 {
		since = o.log[2299].published.Add(-time.Hour)
	}
	for _, e := range o.log {
		if !e.written.Before(since) {
			reason := map[bool]string{true: "INVALID_CREDENTIALS"}[e.number%2 == 0]
			want.add("logs", row{"uuid": fmt.Sprint("event-", e.number), "published": e.published.Format("2006-01-02T15:04:05.000Z"), "reason": reason})
		}
	}
	return want
}
