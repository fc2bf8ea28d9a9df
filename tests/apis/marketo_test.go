package apis

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// marketo exports leads by jobs: a job is created and enqueued, and writes a file. Errors
// have the status 200. Facts:
// https://experienceleague.adobe.com/en/docs/marketo-developer/marketo/rest/bulk-extract/bulk-lead-extract,
// https://experienceleague.adobe.com/en/docs/marketo-developer/marketo/rest/authentication,
// https://experienceleague.adobe.com/en/docs/marketo-developer/marketo/rest/error-codes.
type marketo struct {
	*world
	leads []marketoLead
	jobs  map[string]*marketoJob
	token marketoToken
}

// marketoToken is the current token. It is the same for all logins until it expires.
type marketoToken struct {
	number, uses int
	ends         time.Time
}

// marketoLead is a lead and the time of its latest change.
type marketoLead struct {
	fields  map[string]string
	changed time.Time
}

// marketoJob is a job with what it found when it was created.
type marketoJob struct {
	fields []string
	found  []marketoLead
	queued bool
	polls  int
}

const (
	marketoTime = "2006-01-02T15:04:05Z"
	marketoPath = "/bulk/v1/leads/export/"
)

func newMarketo(w *world) mockServer {
	w.notShown = map[condition]string{
		deleted:       "an export has no leads that were deleted, and says nothing about them",
		archived:      "Marketo has no archived leads, and exports those that are blocked or unsubscribed like others",
		forbidden:     "the parents are export jobs of the same user",
		missingParent: "a file is kept for seven days, and is fetched at once",
		shortPage:     "a file comes as a whole",
		absentKey:     "a file has a column for each field of the job",
	}
	m := &marketo{world: w, jobs: map[string]*marketoJob{}}
	for i := range 200 {
		m.change(i, firstDay.AddDate(0, 0, -2*(i%180)-1).Add(time.Duration(i)*time.Minute))
	}
	m.change(200, firstDay) // the end of the first run, and the start of the second
	m.change(201, firstDay.Add(-time.Second))
	return m
}

// change creates or changes a lead.
func (m *marketo) change(i int, at time.Time) {
	name := "lead " + strconv.Itoa(i)
	lead := marketoLead{changed: at, fields: map[string]string{
		"id": strconv.Itoa(i + 1), "email": name + "@example.com", "firstName": "Zoë, \"Z\"\n" + name, "lastName": at.Format(time.DateOnly),
		"unsubscribed": strconv.FormatBool(i%7 == 0), "leadScore": strconv.Itoa(i - 5), "createdAt": "2025-01-01T00:00:00Z", "updatedAt": at.Format(marketoTime),
	}}
	if i%10 == 0 {
		delete(lead.fields, "email")
	}
	m.leads = put(m.leads, lead, func(l marketoLead) bool { return l.fields["id"] == lead.fields["id"] })
}

func (m *marketo) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	m.refuseIf(r.Host != "123-abc-456.mktorest.com" && r.Host != "123-ABC-456.mktorest.com", "no such host")
	if r.URL.Path == "/identity/oauth/token" {
		m.login(rw, r)
		return
	}
	m.checkToken(rw, r)
	id, action, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, marketoPath), "/")
	job := m.jobs[id]
	switch {
	case r.URL.RawQuery != "" || !strings.HasPrefix(r.URL.Path, marketoPath):
		m.refuse("no such resource")
	case r.Method == http.MethodPost && id == "create.json":
		m.create(rw, r)
	case job == nil:
		m.refuse("no such job")
	case r.Method == http.MethodPost && action == "enqueue.json":
		m.enqueue(rw, id, job)
	case r.Method == http.MethodGet && action == "status.json":
		m.status(rw, r, id, job)
	case r.Method == http.MethodGet && action == "file.json":
		m.file(rw, job)
	default:
		m.refuse("no such resource")
	}
}

func (m *marketo) login(rw http.ResponseWriter, r *http.Request) {
	want := url.Values{"grant_type": {"client_credentials"}, "client_id": {"your-client-id"}, "client_secret": {"your-client-secret"}}
	err := r.ParseForm()
	m.refuseIf(err != nil || r.Method != http.MethodPost || r.PostForm.Encode() != want.Encode() || r.URL.RawQuery != "", "wrong grant: "+r.PostForm.Encode())
	if m.token.number == 0 || m.Now().After(m.token.ends) {
		m.token = marketoToken{number: m.token.number + 1, ends: m.Now().Add(time.Hour)}
	}
	left := int(m.token.ends.Sub(m.Now()) / time.Second)
	reply(rw, http.StatusOK, object{"access_token": "token-" + strconv.Itoa(m.token.number) + ":ab", "token_type": "bearer", "expires_in": left, "scope": "apis@example.com"})
}

// checkToken fails a request without a valid token. The first token ends early, and the
// second is invalid early: the client learns it from the response.
func (m *marketo) checkToken(rw http.ResponseWriter, r *http.Request) {
	number, ok := strings.CutPrefix(strings.TrimSuffix(r.Header.Get("Authorization"), ":ab"), "Bearer token-")
	n, err := strconv.Atoi(number)
	m.refuseIf(!ok || err != nil || n < 1 || n > m.token.number, "wrong token "+r.Header.Get("Authorization"))
	if n == m.token.number {
		if m.token.uses++; n < 3 && m.token.uses > 20 {
			m.token.ends = m.Now().Add(-time.Second)
		}
	}
	if n == m.token.number && !m.Now().After(m.token.ends) {
		return
	}
	m.shows(expiredToken)
	code, message := "602", "Access token expired"
	if n%2 == 0 {
		code, message = "601", "Access token invalid"
	}
	m.fail(rw, code, message)
}

// fail sends an error, with the status 200.
func (m *marketo) fail(rw http.ResponseWriter, code, message string) {
	m.shows(errorIn200)
	fail(rw, http.StatusOK, object{"requestId": "e42b#14272d07d78", "success": false, "errors": []any{object{"code": code, "message": message}}})
}

func (m *marketo) create(rw http.ResponseWriter, r *http.Request) {
	if m.count("create") == 2 {
		m.fail(rw, "606", "Max rate limit '100' exceeded with in '20' secs")
	}
	var body struct {
		Fields []string
		Format string
		Filter struct {
			UpdatedAt struct{ StartAt, EndAt string }
		}
	}
	err := strictly(r.Body, &body)
	from, fromErr := time.Parse(marketoTime, body.Filter.UpdatedAt.StartAt)
	to, toErr := time.Parse(marketoTime, body.Filter.UpdatedAt.EndAt)
	m.refuseIf(err != nil || fromErr != nil || toErr != nil || to.Before(from) || to.Sub(from) > 31*24*time.Hour || body.Format != "CSV" || !slices.Contains(body.Fields, "id"),
		fmt.Sprintf("wrong job %+v: %v, %v, %v", body, err, fromErr, toErr))
	job := &marketoJob{fields: body.Fields}
	for _, lead := range m.leads {
		if !lead.changed.Before(from) && !lead.changed.After(to) { // both ends count
			job.found = append(job.found, lead)
		}
		m.showsIf(lead.changed.Equal(to.Add(time.Second)), tie)
	}
	id := fmt.Sprintf("ce45a7a1-%04d", len(m.jobs))
	m.jobs[id] = job
	m.reply(rw, object{"exportId": id, "format": "CSV", "status": "Created", "createdAt": m.Now().Format(marketoTime)})
}

func (m *marketo) reply(rw http.ResponseWriter, job object) {
	reply(rw, http.StatusOK, object{"requestId": "e42b#14272d07d78", "result": []any{job}, "success": true})
}

func (m *marketo) enqueue(rw http.ResponseWriter, id string, job *marketoJob) {
	if n := m.count("enqueue"); n == 3 || n == 4 {
		m.fail(rw, "1029", "Too many jobs (10) in queue")
	}
	m.refuseIf(job.queued, "1029 Job already queued")
	job.queued = true
	m.reply(rw, object{"exportId": id, "format": "CSV", "status": "Queued", "queuedAt": m.Now().Format(marketoTime)})
}

func (m *marketo) status(rw http.ResponseWriter, r *http.Request, id string, job *marketoJob) {
	m.refuseIf(!job.queued, "the job was not enqueued")
	m.refusedAgain(r.URL.Path, m.Now().Add(time.Minute))
	job.polls++
	if job.polls < 4 {
		m.reply(rw, object{"exportId": id, "format": "CSV", "status": []string{"Queued", "Processing", "Processing"}[job.polls-1]})
		return
	}
	m.reply(rw, object{"exportId": id, "format": "CSV", "status": "Completed", "numberOfRecords": len(job.found), "fileSize": 100 * len(job.found), "fileChecksum": "sha256:c16514c7"})
}

func (m *marketo) file(rw http.ResponseWriter, job *marketoJob) {
	m.refuseIf(job.polls < 4 || len(job.found) == 0, "the job is not complete, or has no records")
	rw.Header().Set("Content-Type", "text/csv")
	lines := [][]string{job.fields}
	for _, lead := range job.found {
		var line []string
		for _, name := range job.fields {
			cell, ok := lead.fields[name]
			if !ok {
				cell = "null"
				m.shows(oddValue)
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	if err := csv.NewWriter(rw).WriteAll(lines); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

func (m *marketo) nextDay() {
	m.leads = slices.Delete(m.leads, 0, 1)
	m.change(5, m.Now().Add(-time.Hour))
	m.change(300, m.Now().Add(-2*time.Hour))
}

func (m *marketo) expected(day int) tables {
	want := tables{}
	for _, lead := range m.leads {
		if day == 1 && !lead.changed.Before(firstDay) || day == 2 && lead.changed.Before(firstDay.Add(-time.Hour)) {
			continue
		}
		email, ok := lead.fields["email"]
		if !ok {
			email = "null"
		}
		want.add("leads", row{"id": lead.fields["id"], "email": email, "first_name": lead.fields["firstName"], "updated": lead.fields["updatedAt"], "country": "null"})
	}
	return want
}
