package rule

import (
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// The settings of a rule.
var (
	statusSetting  = field.Of("status", "Status", "Status codes, or classes of them such as `\"5xx\"`. Absent: every status, also those of errors.", statusesType).Example(`404`, `[403, "5xx"]`).Also("status_code", "statuscode", "code", "codes")
	When           = field.Text("when", "Condition", "A condition on the root of the JSON body, written as in `recursionFilter`; `true` and `false` are words for booleans here. Comparisons with a body that is not JSON do not hold. `header(NAME)` is a header of the response, as a text: repeated headers are joined by a comma and a blank, an absent header is empty.").As(field.Condition).Example(`"status!=DONE"`, `"error.code==17|error.code==4"`, `"header(X-Status)==expired"`).Also("condition", "if", "body")
	matchSetting   = field.Text("match", "Pattern", "Regular expression (RE2) that is found in the first MiB of the body's text: for bodies that are not JSON, such as XML or an HTML page. `(?i)` in front ignores the letter case.").Example(`"<code>busy</code>"`, `"(?i)<html"`).Also("regex", "regexp", "pattern", "body_contains")
	headerSetting  = field.Of("header", "Header", "Names of headers, each with a condition on its value. An absent header is the empty text.", field.MapOf(field.TextType)).As(field.NamingRole).Example(`{"X-RateLimit-Remaining": "==0"}`).Also("headers")
	doSetting      = field.Text("do", "Do", "`fail` ends the run with a user error. `retry` sends the request again, at most `retryConfig.maxRetries` times. `poll` sends the request again until a response does not match this rule. `skip` drops the response and ends the job with a warning. `restart` starts the job again without what was remembered, once. `login` logs in again and repeats the request, once for each request, for responses about ended credentials with another status than 401. `accept` accepts the response as data, regardless of its status.").Typed(actionType).Example(`"retry"`).Must().Also("action", "then")
	messageSetting = field.Text("message", "Message", "Path to the API's explanation in the body, with dots between keys. The explanation is added to the error or the event.").As(field.Path).Example(`"error.message"`)
	waitSetting    = field.Of("wait", "Wait", "How long to wait before the request is sent again: a number of seconds, or the place in the response that has it. Without `wait`, or if the response has no value there, `retry` waits as described in `retryConfig`, and `poll` waits 10 seconds. If only the value is missing, `poll` does not wait beyond `timeout`.", waitType).Example(`15`, `{"header": "X-RateLimit-Reset"}`, `{"response": "error.retry_after"}`, `{"match": "again in ([0-9]+) seconds"}`, `{"header": "X-RateLimit-Reset-After", "unit": "milliseconds"}`)
	timeoutSetting = field.Seconds("timeout", "Timeout", "How many seconds to wait for the response in total, counted from the first request. After that the run ends with a user error.").Default(time.Hour).Example(`7200`)

	waitHeader   = field.Text("header", "Header", "Name of a header of the response.").Example(`"Retry-After"`)
	waitResponse = field.Text("response", "Path", "Path into the JSON body.").As(field.Path).Example(`"retryAfter"`)
	waitMatch    = field.Text("match", "Pattern", "Regular expression (RE2) whose first group is the value: in the text of the header or at the path, or without both in the first MiB of the body's text.").Example(`"again in ([0-9]+) seconds"`)
	waitUnit     = field.Text("unit", "Unit", "What a number counts. It is a span then, and not a Unix time. Absent: seconds, or a Unix time if it is that large.").Typed(&field.Type{Kinds: []string{"string"}, Choices: []field.Choice{{Name: "milliseconds", AlsoCalled: []string{"ms"}}, {Name: "seconds", AlsoCalled: []string{"s"}}, {Name: "minutes", AlsoCalled: []string{"min"}}, {Name: "hours"}}}).Example(`"milliseconds"`)

	statusPattern = field.NewPattern(`^([2-9][0-9][0-9]|[2-9][xX][xX])?$`)
	statusType    = &field.Type{Kinds: []string{"integer", "string"}, Pattern: statusPattern, Message: expectedStatus}
	statusesType  = &field.Type{Kinds: []string{"integer", "string", "array"}, Pattern: statusPattern, Items: statusType, Message: expectedStatus}
	actionType    = &field.Type{Kinds: []string{"string"}, Choices: []field.Choice{
		{Name: string(Fail), AlsoCalled: []string{"error", "abort", "stop", "raise"}},
		{Name: string(Retry), AlsoCalled: []string{"backoff", "back_off", "repeat", "rate_limited"}},
		{Name: string(Poll), AlsoCalled: []string{"wait", "pending"}},
		{Name: string(Skip), AlsoCalled: []string{"ignore", "drop"}},
		{Name: string(Restart), AlsoCalled: []string{"reset", "resync", "reset_state", "full_sync"}},
		{Name: string(LogIn), AlsoCalled: []string{"log_in", "relogin", "re_login", "authenticate", "reauthenticate", "refresh", "refresh_token", "renew"}},
		{Name: string(Accept), AlsoCalled: []string{"success", "ok", "continue", "data"}},
	}}
	waitType = &field.Type{Name: "ruleWait", Title: "Wait", Kinds: []string{"number", "string", "object"}, Pattern: field.NumberType.Pattern,
		Doc:     "Where the response says how long to wait. The value is a number of seconds, a date, or a Unix time in seconds or milliseconds; with `unit` a number of that unit.",
		Fields:  field.Fields(waitHeader, waitResponse, waitMatch, waitUnit),
		Message: "expected a number of seconds or an object with \"header\", \"response\" or \"match\"",
		Hint:    `for the name of a header write {"header": "Retry-After"}`}
)

const expectedStatus = "expected a status such as 404, a class such as \"5xx\", or a list of them"

// DoName is the name of the setting with the action.
var DoName = doSetting.Name

// units returns the units of waits by their names.
func units() map[string]time.Duration {
	return map[string]time.Duration{"milliseconds": time.Millisecond, "seconds": time.Second, "minutes": time.Minute, "hours": time.Hour}
}

// actions returns the settings of each action, without the settings of every rule.
func actions() []field.Variant {
	return []field.Variant{
		{Name: string(Fail)},
		{Name: string(Retry), Settings: []field.Declaration{waitSetting}},
		{Name: string(Poll), Settings: []field.Declaration{waitSetting, timeoutSetting}},
		{Name: string(Skip)},
		{Name: string(Restart)},
		{Name: string(LogIn)},
		{Name: string(Accept)},
	}
}

// rulesType is shared, because several settings are lists of rules.
var rulesType = func() *field.Type {
	t := field.Object("rule", "Rule", "A rule applies to responses that satisfy all of `status`, `when`, `match` and `header`. `do` is the action.",
		statusSetting, When, matchSetting, headerSetting, doSetting, messageSetting)
	t.Fields = append(t.Fields, field.Union("Action", actions())...)
	list := field.ListOf(t)
	list.Message = "expected a list of rules"
	list.IsSingleItem = func(v value.Value) bool { return v.Kind() == value.Object && v.Len() > 0 }
	list.AloneFault = &failure.Problem{Code: failure.WrongType, Expected: "expected a list of rules", Hint: "put the rule into brackets: [{\"do\": …}]"}
	return list
}()

// Type returns the type of a list of rules.
func Type() *field.Type { return rulesType }

// Login is the setting with the rules of a login request.
var Login = field.Of("rules", "Rules about its responses", "As for jobs, but for the responses to this request. `skip`, `restart` and `login` have no meaning here.", rulesType).
	Example(`[{"when": "ok==false", "do": "fail", "message": "error"}]`)
