package apis

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// workday is a tenant with a report and the operation Get_Workers. Facts:
// https://community.workday.com/sites/default/files/file-hosting/productionapi/Human_Resources/v35.2/Get_Workers.html,
// https://learn.microsoft.com/en-us/entra/identity/app-provisioning/workday-integration-reference
// (requests, pages and totals), https://docs.iru.com/en/compliance/sources/workday-report-source
// (reports).
type workday struct {
	*world
	workers []*workdayWorker
	report  []object
}

type workdayWorker struct {
	id                            int
	user, first, last, title, end string
	created                       time.Time
}

const workdayHost = "your-host.myworkday.com"

func newWorkday(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "both requests are for all data, without parents",
		missingParent: "both requests are for all data, without parents",
		shortPage:     "Count is the size of all pages but the last, and Total_Results counts the workers",
		tie:           "each run fetches all workers, of one moment",
		errorIn200:    "a fault has the status 500",
		expiredToken:  "each request has the user name and the password",
	}
	d := &workday{world: w, report: []object{
		{"Employee_ID": "1", "Cost_Center": "R&D", "FTE": "0.50"},
		{"Employee_ID": "2", "Cost_Center": "", "FTE": "0"},
		{"Employee_ID": "3", "FTE": "1"},
	}}
	for i := range 250 {
		d.workers = append(d.workers, &workdayWorker{id: i, user: "user" + strconv.Itoa(i), first: "Ann", last: "Ng", title: "Analyst", created: firstDay.AddDate(-1, 0, 0)})
	}
	d.workers[3].user, d.workers[3].title = "", "" // without the elements
	d.workers[4].end = "2025-12-31"                // no longer active
	d.workers[5].first, d.workers[5].last = "", "O'Neil & <Söhne>"
	return d
}

// workdayRequest is a request for workers. Elements that the operation does not have are
// refused by their number.
type workdayRequest struct {
	XMLName xml.Name `xml:"http://schemas.xmlsoap.org/soap/envelope/ Envelope"`
	Header  struct {
		Security struct {
			Token struct {
				Username string
				Password struct {
					Type string `xml:"Type,attr"`
					Text string `xml:",chardata"`
				}
			} `xml:"UsernameToken"`
		} `xml:"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd Security"`
	} `xml:"http://schemas.xmlsoap.org/soap/envelope/ Header"`
	Body struct {
		Get struct {
			Version  string `xml:"urn:com.workday/bsvc version,attr"`
			Criteria struct {
				Exclude string `xml:"urn:com.workday/bsvc Exclude_Inactive_Workers"`
			} `xml:"urn:com.workday/bsvc Request_Criteria"`
			Filter struct {
				Date  string `xml:"urn:com.workday/bsvc As_Of_Effective_Date"`
				Entry string `xml:"urn:com.workday/bsvc As_Of_Entry_DateTime"`
				Page  int    `xml:"urn:com.workday/bsvc Page"`
				Count int    `xml:"urn:com.workday/bsvc Count"`
			} `xml:"urn:com.workday/bsvc Response_Filter"`
			Group struct {
				Reference  string `xml:"urn:com.workday/bsvc Include_Reference"`
				Personal   string `xml:"urn:com.workday/bsvc Include_Personal_Information"`
				Employment string `xml:"urn:com.workday/bsvc Include_Employment_Information"`
			} `xml:"urn:com.workday/bsvc Response_Group"`
		} `xml:"urn:com.workday/bsvc Get_Workers_Request"`
	} `xml:"http://schemas.xmlsoap.org/soap/envelope/ Body"`
}

func (d *workday) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	d.refuseIf(r.Host != workdayHost, "no such host")
	switch r.Method + " " + r.URL.Path {
	case "GET /ccx/service/customreport2/your-tenant/your-report-owner/your-report":
		user, password, ok := r.BasicAuth()
		d.refuseIf(!ok || user != "your-user" || password != "your-password", "invalid username or password")
		d.refuseIf(r.URL.RawQuery != "format=json", "without a format, a report is XML")
		failIf(d.count("report") == 1, rw, http.StatusServiceUnavailable, object{"error": "temporarily unavailable"})
		d.shows(oddValue, absentKey)
		reply(rw, http.StatusOK, object{"Report_Entry": d.report})
	case "POST /ccx/service/your-tenant/Human_Resources/v45.2":
		d.getWorkers(rw, r)
	default:
		d.refuse("no such service")
	}
}

func (d *workday) getWorkers(rw http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	d.refuseError(err)
	var request workdayRequest
	d.refuseError(xml.Unmarshal(text, &request))
	get, token := request.Body.Get, request.Header.Security.Token
	d.refuseIf(r.Header.Get("Content-Type") != "text/xml; charset=utf-8" || r.Header.Get("Authorization") != "", "wrong headers")
	d.refuseIf(token.Username != "your-user@your-tenant" || token.Password.Text != "your-password" ||
		!strings.HasSuffix(token.Password.Type, "#PasswordText"), "SOAP-ENV:Client.authenticationError: invalid username or password")
	entered, err := time.Parse(time.RFC3339, get.Filter.Entry)
	d.refuseError(err)
	d.refuseIf(get.Version != "v45.2" || get.Criteria.Exclude != "false" || get.Filter.Page < 1 || get.Filter.Count != 100 ||
		get.Filter.Date != entered.Format(time.DateOnly) || get.Group.Reference+get.Group.Personal+get.Group.Employment != "truetruetrue", "validation error")
	elements := regexp.MustCompile(`<[a-z]+:`).FindAll(text, -1)
	d.refuseIf(len(elements) != 19, len(elements), " elements, the operation knows 19 of them")
	var known []*workdayWorker // at that time
	for _, one := range d.workers {
		if !one.created.After(entered) {
			known = append(known, one)
		}
	}
	if get.Filter.Page == 1 { // while the run is under way
		d.workers = append([]*workdayWorker{{id: 1000 + len(d.workers), first: "New", last: "Hire", title: "Clerk", created: entered.Add(time.Hour)}}, d.workers...)
	}
	pages := (len(known) + 99) / 100
	d.refuseIf(get.Filter.Page > pages, "no such page")
	page := cut(known, (get.Filter.Page-1)*100, 100)
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?><env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/"><env:Body><wd:Get_Workers_Response xmlns:wd="urn:com.workday/bsvc" wd:version="v45.2">`+
		`<wd:Response_Filter><wd:Page>%[1]d</wd:Page><wd:Count>100</wd:Count></wd:Response_Filter><wd:Response_Results><wd:Total_Results>%[2]d</wd:Total_Results><wd:Total_Pages>%[3]d</wd:Total_Pages><wd:Page_Results>%[4]d</wd:Page_Results><wd:Page>%[1]d</wd:Page></wd:Response_Results><wd:Response_Data>`,
		get.Filter.Page, len(known), pages, len(page))
	for _, one := range page {
		d.showsIf(one.user == "" && one.title == "", absentKey)
		d.showsIf(one.end != "", archived)
		one.write(&b)
	}
	b.WriteString(`</wd:Response_Data></wd:Get_Workers_Response></env:Body></env:Envelope>`)
	rw.Header().Set("Content-Type", "text/xml; charset=UTF-8")
	if _, err := io.WriteString(rw, b.String()); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

func (one *workdayWorker) wid() string { return fmt.Sprintf("%032x", one.id) }

func (one *workdayWorker) write(b *strings.Builder) {
	element := func(name, text string) {
		if text == "" {
			return
		}
		b.WriteString("<wd:" + name + ">")
		if err := xml.EscapeText(b, []byte(text)); err != nil {
			panic(err)
		}
		b.WriteString("</wd:" + name + ">")
	}
	fmt.Fprintf(b, `<wd:Worker><wd:Worker_Reference><wd:ID wd:type="WID">%s</wd:ID><wd:ID wd:type="Employee_ID">%d</wd:ID></wd:Worker_Reference><wd:Worker_Data>`, one.wid(), one.id)
	element("Worker_ID", strconv.Itoa(one.id))
	element("User_ID", one.user)
	b.WriteString(`<wd:Personal_Data><wd:Name_Data><wd:Legal_Name_Data><wd:Name_Detail_Data>`)
	element("First_Name", one.first)
	element("Last_Name", one.last)
	b.WriteString(`</wd:Name_Detail_Data></wd:Legal_Name_Data></wd:Name_Data></wd:Personal_Data><wd:Employment_Data>`)
	if one.title != "" {
		b.WriteString(`<wd:Worker_Job_Data wd:Primary_Job="1"><wd:Position_Data>`)
		element("Business_Title", one.title)
		b.WriteString(`</wd:Position_Data></wd:Worker_Job_Data>`)
	}
	b.WriteString(`<wd:Worker_Status_Data>`)
	element("Active", one.active())
	element("Hire_Date", "2020-01-01")
	element("Termination_Date", one.end)
	b.WriteString(`</wd:Worker_Status_Data></wd:Employment_Data></wd:Worker_Data></wd:Worker>`)
}

func (one *workdayWorker) active() string {
	if one.end != "" {
		return "0"
	}
	return "1"
}

func (d *workday) nextDay() {
	d.shows(deleted)
	d.report = append(d.report[1:], object{"Employee_ID": "4", "Cost_Center": nil, "FTE": "1"})
	d.workers = append(d.workers[:10], d.workers[11:]...) // purged
	d.workers[0].title = "Manager"
}

func (d *workday) expected(int) tables {
	want := tables{}
	for _, entry := range d.report {
		center, _ := entry["Cost_Center"].(string)
		want.add("report", row{"employee_id": entry["Employee_ID"].(string), "cost_center": center, "fte": entry["FTE"].(string)})
	}
	for _, one := range d.workers {
		if one.created.After(d.Now()) {
			continue
		}
		want.add("workers", row{"id": one.wid(), "worker_id": strconv.Itoa(one.id), "user_name": one.user, "first_name": one.first, "last_name": one.last,
			"active": one.active(), "hired": "2020-01-01", "terminated": one.end, "title": one.title})
	}
	return want
}
