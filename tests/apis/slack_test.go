package apis

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// slack has cursors, errors in answers with the status 200, and limits for each method.
// Facts: https://docs.slack.dev/apis/web-api/pagination,
// https://docs.slack.dev/reference/methods/conversations.history,
// https://docs.slack.dev/apis/web-api/rate-limits.
type slack struct {
	*world
	users, channels []map[string]any
	messages        map[string][]map[string]any // by channel, newest first
	posted          map[string]int              // how many of them are of the second day
}

func newSlack(w *world) imitation {
	s := &slack{world: w, messages: map[string][]map[string]any{}, posted: map[string]int{}}
	for i := range 450 {
		s.users = append(s.users, map[string]any{
			"id": fmt.Sprintf("U%03d", i), "team_id": "T1", "name": fmt.Sprint("user", i), "deleted": i%7 == 0, "is_bot": false,
			"profile": map[string]any{"email": fmt.Sprintf("u%d@example.com", i)}, "updated": 1700000000 + i,
		})
	}
	for i := range 230 {
		id := fmt.Sprintf("C%03d", i)
		member := i%40 == 0
		s.channels = append(s.channels, map[string]any{
			"id": id, "name": fmt.Sprint("channel", i), "is_member": member, "is_archived": false, "created": 1600000000,
			"topic": map[string]any{"value": ""}, "num_members": i,
		})
		if member || i == 1 {
			for n := range 5 + 3*i {
				s.post(id, n)
			}
		}
	}
	return s
}

// post adds a message to a channel. The times are the same in all channels, and differ by
// a microsecond in one.
func (s *slack) post(channel string, n int) {
	message := map[string]any{"type": "message", "user": "U001", "text": fmt.Sprint("message ", n), "ts": fmt.Sprintf("1767225600.%06d", n)}
	s.messages[channel] = slices.Insert(s.messages[channel], 0, message)
}

// slackParameters are the parameters of each method, in the order of their names.
var slackParameters = map[string]*regexp.Regexp{
	"users.list":            regexp.MustCompile(`^(cursor )?limit$`),
	"conversations.list":    regexp.MustCompile(`^(cursor )?limit types$`),
	"conversations.history": regexp.MustCompile(`^channel (cursor )?limit( oldest)?$`),
}

func (s *slack) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	method, found := strings.CutPrefix(r.URL.Path, "/api/")
	channel := query.Get("channel")
	switch {
	case r.Host != "slack.com" || !found || r.Method != http.MethodGet || slackParameters[method] == nil:
		s.refuse(rw, r, http.StatusNotFound, "no such method")
		return
	case r.Header.Get("Authorization") != "Bearer your-bot-token":
		s.refuse(rw, r, http.StatusOK, "invalid_auth")
		return
	case !slackParameters[method].MatchString(strings.Join(slices.Sorted(maps.Keys(query)), " ")):
		s.refuse(rw, r, http.StatusOK, "invalid_arguments")
		return
	case err != nil || limit < 1 || limit > 999:
		s.refuse(rw, r, http.StatusOK, "invalid_limit")
		return
	}
	s.requests[method]++
	switch s.requests[method] {
	case 2:
		rw.Header().Set("Retry-After", "30")
		reply(rw, http.StatusTooManyRequests, map[string]any{"ok": false, "error": "ratelimited"})
		return
	case 4:
		reply(rw, http.StatusOK, map[string]any{"ok": false, "error": "internal_error"})
		return
	}
	switch method {
	case "users.list":
		s.page(rw, r, "members", s.users, limit)
	case "conversations.list":
		if query.Get("types") != "public_channel,private_channel" {
			s.refuse(rw, r, http.StatusOK, "other types")
			return
		}
		s.page(rw, r, "channels", s.channels, limit)
	case "conversations.history":
		all := s.messages[channel]
		if !slices.ContainsFunc(s.channels, func(c map[string]any) bool { return c["id"] == channel && c["is_member"] == true }) {
			s.refuse(rw, r, http.StatusOK, "not_in_channel")
			return
		}
		oldest := query.Get("oldest") // of one length, so that texts compare like times
		s.page(rw, r, "messages", slices.DeleteFunc(slices.Clone(all), func(m map[string]any) bool { return m["ts"].(string) <= oldest }), limit)
	}
}

// page answers with some of the items, fewer than the limit, because Slack may. The second
// page is empty and yet not the last one.
func (s *slack) page(rw http.ResponseWriter, r *http.Request, name string, all []map[string]any, limit int) {
	from, empty := 0, false
	if cursor := r.URL.Query().Get("cursor"); cursor != "" {
		var page int
		if n, err := fmt.Sscanf(cursor, name+":%d:%d=", &page, &from); n != 2 || err != nil || from > len(all) {
			s.refuse(rw, r, http.StatusOK, "invalid_cursor")
			return
		}
		empty = page == 2
	}
	to := min(from+limit-3, len(all))
	if empty {
		to = from
	}
	next := ""
	if to < len(all) {
		page := 2
		if empty || from > 0 {
			page = 3
		}
		next = fmt.Sprintf("%s:%d:%d=", name, page, to)
	}
	items := append([]map[string]any{}, all[from:to]...)
	body := map[string]any{"ok": true, name: items, "response_metadata": map[string]any{"next_cursor": next}}
	if name == "messages" {
		body["has_more"] = next != ""
	}
	reply(rw, http.StatusOK, body)
}

func (s *slack) nextDay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[3]["deleted"] = true
	s.channels[1]["is_member"] = true // the bot was invited to a channel with old messages
	for n, channel := range []string{"C000", "C001", "C120"} {
		s.post(channel, 500+n) // older than the newest message of another channel
		s.posted[channel]++
	}
}

func (s *slack) expected(day int) tables {
	want := tables{}
	for _, u := range s.users {
		want["users"] = append(want["users"], row{"id": u["id"].(string), "email": u["profile"].(map[string]any)["email"].(string)})
	}
	for _, c := range s.channels {
		want["channels"] = append(want["channels"], row{"id": c["id"].(string), "name": c["name"].(string)})
	}
	for channel, all := range s.messages {
		switch {
		case day == 1 && channel == "C001":
			continue
		case day == 2 && channel != "C001":
			all = all[:s.posted[channel]]
		}
		for _, m := range all {
			want["messages"] = append(want["messages"], row{"channel_id": channel, "ts": m["ts"].(string), "text": m["text"].(string)})
		}
	}
	return want
}
