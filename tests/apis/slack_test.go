package apis

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// slack has cursors, errors in responses with the status 200, and limits for each method. A
// channel lists only the first message of a thread; its replies are another list, which always
// begins with that message.
type slack struct {
	*world
	users, channels []object
	messages        map[string][]object // by channel, newest first
	replies         map[string][]object // by channel and ts of the first message, oldest first
}

const (
	// slackBusy is a channel with threads.
	slackBusy = "C000"
	// slackLost is a channel that the user leaves while the second run reads others.
	slackLost = "C040"
	// slackGone is the first message of a thread that was deleted with its replies between
	// the list of messages and that of replies.
	slackGone = "1772000000.000077"
)

// slackRecent is when the newest messages before the first run were posted, within the 30
// days that each run reads again. The others are older.
var (
	slackOld    = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	slackRecent = time.Date(2026, 2, 25, 6, 13, 20, 0, time.UTC)
)

func newSlack(w *world) mockServer {
	w.notShown = map[condition]string{
		tie:          "Slack makes each ts unique in its channel, and a run begins weeks before the last one",
		expiredToken: "a token without rotation does not expire, and one with rotation does not work here",
	}
	s := &slack{world: w, messages: map[string][]object{}, replies: map[string][]object{}}
	for i := range 450 {
		profile := object{"display_name": "", "email": fmt.Sprintf("u%d@example.com", i)}
		if i%9 == 0 {
			delete(profile, "email") // a bot
		}
		s.users = append(s.users, object{
			"id": fmt.Sprintf("U%03d", i), "team_id": "T1", "name": fmt.Sprint("user", i), "deleted": i%7 == 0, "is_bot": i%9 == 0,
			"profile": profile, "updated": 1700000000 + i,
		})
	}
	for i := range 230 {
		id := fmt.Sprintf("C%03d", i)
		member := i%40 == 0
		s.channels = append(s.channels, object{
			"id": id, "name": fmt.Sprint("channel", i), "is_member": member, "is_archived": i%20 == 7, "created": 1600000000,
			"topic": object{"value": strings.Repeat("topic", i%2)}, "num_members": i,
		})
		if member || i == 1 {
			for n := range 5 + 3*i {
				s.post(id, slackOld, n)
			}
			s.post(id, slackRecent, 1)
		}
	}
	s.reply(s.messages[slackBusy][3], slackBusy, slackOld.Add(time.Hour), 4)
	s.reply(s.messages[slackBusy][0], slackBusy, slackRecent.Add(time.Hour), 520)
	s.post(slackBusy, slackRecent, 77)
	s.messages[slackBusy][0]["reply_count"], s.messages[slackBusy][0]["latest_reply"] = 1, slackGone
	return s
}

// slackTS is the ts of a message: a time in seconds, and a number that makes it unique.
func slackTS(at time.Time, n int) string { return fmt.Sprintf("%d.%06d", at.Unix(), n) }

// post adds a message to a channel. Messages of different channels have the same ts.
func (s *slack) post(channel string, at time.Time, n int) {
	message := object{"type": "message", "user": "U001", "text": fmt.Sprint("message ", n), "ts": slackTS(at, n)}
	if n%4 == 3 {
		delete(message, "user")
		message["bot_id"] = "B1"
	}
	s.messages[channel] = slices.Insert(s.messages[channel], 0, message)
}

// reply adds replies to a message, so that it begins a thread.
func (s *slack) reply(first object, channel string, at time.Time, replies int) {
	thread := channel + " " + first["ts"].(string)
	for range replies {
		ts := slackTS(at, len(s.replies[thread]))
		s.replies[thread] = append(s.replies[thread], object{"type": "message", "user": "U002", "text": "reply", "ts": ts, "thread_ts": first["ts"]})
		first["thread_ts"], first["reply_count"], first["latest_reply"] = first["ts"], len(s.replies[thread]), ts
	}
}

// slackParameters are the parameters of each method, in the order of their names.
var slackParameters = map[string]*regexp.Regexp{
	"users.list":            regexp.MustCompile(`^(cursor )?limit$`),
	"conversations.list":    regexp.MustCompile(`^(cursor )?limit types$`),
	"conversations.history": regexp.MustCompile(`^channel (cursor )?limit( oldest)?$`),
	"conversations.replies": regexp.MustCompile(`^channel (cursor )?limit oldest ts$`),
}

func (s *slack) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	method, found := strings.CutPrefix(r.URL.Path, "/api/")
	channel := query.Get("channel")
	s.refuseIf(r.Host != "slack.com" || !found || r.Method != http.MethodGet ||
		slackParameters[method] == nil, "no such method")
	s.refuseIf(r.Header.Get("Authorization") != "Bearer your-user-token", "invalid_auth")
	s.refuseIf(!slackParameters[method].MatchString(strings.Join(slices.Sorted(maps.Keys(query)), " ")),
		"invalid_arguments")
	s.refuseIf(err != nil || limit < 1 || limit > 999, "invalid_limit")
	switch s.count(method) {
	case 2:
		fail(rw, http.StatusTooManyRequests, object{"ok": false, "error": "ratelimited"}, "Retry-After", "30")
	case 4:
		s.refusal(rw, "internal_error")
		return
	}
	switch method {
	case "users.list":
		s.shows(absentKey)
		s.showsIf(s.users[3]["deleted"] == true, deleted)
		s.page(rw, r, "members", s.users, limit)
	case "conversations.list":
		s.refuseIf(query.Get("types") != "public_channel,private_channel", "other types")
		s.shows(archived, oddValue)
		s.page(rw, r, "channels", s.channels, limit)
	default:
		s.conversation(rw, r, method, channel, limit)
	}
}

// conversation responds with messages of a channel or of a thread.
func (s *slack) conversation(rw http.ResponseWriter, r *http.Request, method, channel string, limit int) {
	oldest, ts := r.URL.Query().Get("oldest"), r.URL.Query().Get("ts")
	member := slices.ContainsFunc(s.channels, func(c object) bool { return c["id"] == channel && c["is_member"] == true })
	s.refuseIf(!member, "not_in_channel")
	switch {
	case channel == slackLost && s.messages[channel] == nil:
		s.shows(forbidden)
		s.refusal(rw, "not_in_channel")
		return
	case method == "conversations.replies" && s.latestReply(channel, ts) <= slackTime(oldest):
		s.refuse("the latest_reply of the thread is before that")
	case ts == slackGone:
		s.shows(missingParent)
		s.refusal(rw, "thread_not_found")
		return
	}
	all := s.messages[channel]
	if method == "conversations.replies" {
		all = s.replies[channel+" "+ts]
	}
	all = without(all, func(m object) bool { return slackSeconds(m) <= slackTime(oldest) })
	if method == "conversations.replies" {
		first := slices.IndexFunc(s.messages[channel], func(m object) bool { return m["ts"] == ts })
		all = slices.Insert(all, 0, s.messages[channel][first])
	}
	s.page(rw, r, "messages", all, limit)
}

// latestReply returns the time of latest_reply of the first message of a thread, 0 if it has
// none.
func (s *slack) latestReply(channel, ts string) float64 {
	first := slices.IndexFunc(s.messages[channel], func(m object) bool { return m["ts"] == ts })
	latest, _ := s.messages[channel][max(first, 0)]["latest_reply"].(string)
	return slackTime(latest)
}

func (s *slack) refusal(rw http.ResponseWriter, code string) {
	s.shows(errorIn200)
	reply(rw, http.StatusOK, object{"ok": false, "error": code})
}

// slackTime reads a ts or a time without a fraction. It is exact enough, because no two times
// that are compared differ by less than a second.
func slackTime(ts string) float64 {
	n, _ := strconv.ParseFloat(ts, 64)
	return n
}

func slackSeconds(message object) float64 { return slackTime(message["ts"].(string)) }

// page responds with some of the items, fewer than the limit, because Slack may. The second
// page is empty and yet not the last one.
func (s *slack) page(rw http.ResponseWriter, r *http.Request, name string, all []object, limit int) {
	from, empty := 0, false
	if cursor := r.URL.Query().Get("cursor"); cursor != "" {
		var page int
		if n, err := fmt.Sscanf(cursor, name+":%d:%d=", &page, &from); n != 2 || err != nil || from > len(all) {
			s.refuse("invalid_cursor")
		}
		empty = page == 2
	}
	to := min(from+limit-3, len(all))
	if empty {
		to = from
	}
	next := ""
	if to < len(all) {
		s.shows(shortPage)
		page := 2
		if empty || from > 0 {
			page = 3
		}
		next = fmt.Sprintf("%s:%d:%d=", name, page, to)
	}
	items := append([]object{}, all[from:to]...)
	body := object{"ok": true, name: items, "response_metadata": object{"next_cursor": next}}
	if name == "messages" {
		body["has_more"] = next != ""
	}
	reply(rw, http.StatusOK, body)
}

func (s *slack) nextDay() {
	s.users[3]["deleted"] = true
	s.channels[1]["is_member"] = true // the user joined a channel with old messages
	delete(s.messages, slackLost)
	today := firstDay.Add(3 * time.Hour)
	for n, channel := range []string{slackBusy, "C001", "C120"} {
		s.post(channel, today, n)
	}
	s.messages["C120"][1]["text"], s.messages["C120"][1]["edited"] = "edited", object{"ts": slackTS(today, 9)}
	s.reply(s.messages[slackBusy][2], slackBusy, firstDay.Add(-30*time.Minute), 1) // that the first run did not see yet
	s.reply(s.messages[slackBusy][2], slackBusy, today, 2)                         // to a thread of the day before
	s.reply(s.messages["C120"][0], "C120", today, 1)
}

func (s *slack) expected(day int) tables {
	want, stored := tables{}, map[any]string{true: "1"}
	for _, u := range s.users {
		email, _ := u["profile"].(object)["email"].(string)
		want.add("users", row{"id": u["id"].(string), "email": email, "deleted": stored[u["deleted"]]})
	}
	for _, c := range s.channels {
		want.add("channels", row{"id": c["id"].(string), "name": c["name"].(string), "is_archived": stored[c["is_archived"]]})
		channel := c["id"].(string)
		if c["is_member"] != true {
			continue
		}
		since, repliesSince := float64(0), float64(0)
		if day == 2 && channel != "C001" {
			since, repliesSince = float64(firstDay.AddDate(0, 0, -30).Unix()), float64(firstDay.Add(-time.Hour).Unix())
		}
		for _, m := range s.messages[channel] {
			if slackSeconds(m) <= since {
				continue
			}
			user, _ := m["user"].(string)
			want.add("messages", row{"channel_id": channel, "ts": m["ts"].(string), "text": m["text"].(string), "user": user})
			for _, response := range s.replies[channel+" "+m["ts"].(string)] {
				if slackSeconds(response) > repliesSince {
					want.add("replies", row{"channel_id": channel, "ts": response["ts"].(string), "thread_ts": m["ts"].(string), "text": "reply"})
				}
			}
		}
	}
	return want
}
