package lint

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// unevaluatedExpressions finds references to the response of a login in settings where it
// is not available. Such objects are sent unchanged.
func unevaluatedExpressions(s settings, found *failure.Problems) {
	login := auth.LoginRequest.In(s.login)
	if !login.Present() {
		return
	}
	references := s.Compiled.Vocabulary.All().References
	withoutResponse := []config.Section{auth.LoginParams.In(login), auth.LoginHeaders.In(login), config.BodyValues.In(config.LoginBody.In(login))}
	for _, j := range s.jobs() {
		job := s.job(j.Job)
		withoutResponse = append(withoutResponse, config.JobParams.In(job), config.JobHeaders.In(job), config.BodyValues.In(config.JobBody.In(job)))
	}
	for _, group := range withoutResponse {
		for _, entry := range group.Items() {
			references.Walk(entry.Value, entry.Pointer, true, func(f expr.Form, pointer string) {
				if f.Is(expr.Response, expr.ResponseHeader, expr.ResponseCookie) && f.Name.Kind() == value.String {
					found.Add(failure.Problem{Code: failure.UnevaluatedExpression, Pointer: pointer,
						Expected: "the response of the login is not available here, so the object is sent as it is", Hint: "write it in \"apiRequest\" of the login"})
				}
			})
		}
	}
}

// sentPlaceholders finds texts with the {name} of a placeholder in settings that are sent
// unchanged.
func sentPlaceholders(s settings, found *failure.Problems) {
	for _, j := range s.jobs() {
		if len(j.Family.Placeholders) == 0 {
			continue
		}
		job := s.job(j.Job)
		for _, group := range []config.Section{config.JobParams.In(job), config.JobHeaders.In(job), config.JobUserData.In(job), config.BodyValues.In(config.JobBody.In(job))} {
			walk(group, func(p config.Section) bool {
				reportSent(p, j.Family.Placeholders, found)
				return true
			})
		}
	}
}

func reportSent(p config.Section, placeholders []string, found *failure.Problems) {
	if p.Value.Kind() != value.String || !strings.Contains(p.Value.Raw(), "{") {
		return
	}
	text := p.Value.Raw()
	for _, name := range placeholders {
		if !strings.Contains(text, "{"+name+"}") {
			continue
		}
		form := failure.Text("{\"placeholder\": ") + failure.Part(value.OfString(name).JSON()) + "}"
		hint := "write " + form
		if text != "{"+name+"}" {
			hint = "join it: {\"function\": \"concat\", \"args\": [\"…\", " + form + "]}"
		}
		found.Add(failure.Problem{Code: failure.UnfilledPlaceholder, Pointer: p.Pointer, Found: failure.Part(value.OfString("{" + name + "}").JSON()),
			Expected: "placeholders are replaced only in the text of an endpoint; this one is sent as it is", Hint: hint})
		return
	}
}

// unsendableHeaders finds headers that the HTTP connection sets itself. The value in the
// document is not sent.
func unsendableHeaders(s settings, found *failure.Problems) {
	for _, group := range s.fields(field.Headers) {
		for _, m := range group.at.Value.Members() {
			switch strings.ToLower(m.Name) {
			case "content-length", "transfer-encoding", "trailer":
				found.Add(failure.Problem{Code: failure.UnsendableHeader, Pointer: group.at.Get(m.Name).Pointer,
					Expected: "this header is not sent: the connection sets its own", Hint: "remove it"})
			}
		}
	}
}
