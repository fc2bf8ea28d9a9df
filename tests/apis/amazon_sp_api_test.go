package apis

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// amazonSPAPI makes reports: createReport, getReport until it is done, getReportDocument,
// and a file on another host. Facts:
// https://developer-docs.amazon.com/sp-api/docs/reports-api-v2021-06-30-reference,
// https://developer-docs.amazon.com/sp-api/docs/connecting-to-the-selling-partner-api.
type amazonSPAPI struct {
	*world
	tokens    map[string]time.Time // when they were issued
	reports   []*amazonReport
	shipments []amazonShipment
	listings  map[string]string // names by SKU
	started   time.Time         // of the run of this day, as far as the API knows
}

type amazonReport struct {
	kind     string
	from, to time.Time
	polls    int // that are left until it is done
	ready    time.Time
}

type amazonShipment struct {
	item    string
	shipped time.Time
	// reported is the day from which reports have it.
	reported int
}

const (
	amazonHost  = "sellingpartnerapi-na.amazon.com"
	amazonFiles = "tortuga-prod-na.s3-external-1.amazonaws.com"
	// amazonTokenLife is shorter than the documented hour, so that tokens expire in a run.
	amazonTokenLife = 10 * time.Minute
	amazonTime      = "2006-01-02T15:04:05Z"
)

func newAmazonSPAPI(w *world) imitation {
	a := &amazonSPAPI{world: w, tokens: map[string]time.Time{}, started: firstDay}
	a.listings = map[string]string{"SKU-1": `Shelf 24" wide`, "SKU-2": `"Deluxe" lamp`, "SKU-3": "Café table"}
	for i := range 80 { // every 8 hours, for 26 days: there is no data for the first report
		a.add(i, firstDay.Add(-time.Duration(i)*8*time.Hour-30*time.Minute), 1)
	}
	a.add(1001, firstDay.Add(-50*time.Hour), 2) // reported late
	a.add(1002, firstDay.Add(5*time.Hour), 2)
	return a
}

func (a *amazonSPAPI) add(i int, shipped time.Time, reported int) {
	a.shipments = append(a.shipments, amazonShipment{"D" + strconv.Itoa(i), shipped, reported})
}

func (a *amazonSPAPI) day() int {
	if a.started.Equal(firstDay) {
		return 1
	}
	return 2
}

func (a *amazonSPAPI) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch r.Host {
	case "api.amazon.com":
		a.login(rw, r)
	case amazonFiles:
		a.file(rw, r)
	case amazonHost:
		a.operation(rw, r)
	default:
		a.refuse(rw, r, http.StatusNotFound, "no such host")
	}
}

func (a *amazonSPAPI) login(rw http.ResponseWriter, r *http.Request) {
	want := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"your-refresh-token"}, "client_id": {"your-client-id"}, "client_secret": {"your-client-secret"}}
	if err := r.ParseForm(); err != nil || r.Method != http.MethodPost || r.URL.Path != "/auth/o2/token" || r.URL.RawQuery != "" || r.PostForm.Encode() != want.Encode() {
		a.refuse(rw, r, http.StatusBadRequest, "invalid_grant: "+r.PostForm.Encode())
		return
	}
	token := "Atza|" + strconv.Itoa(len(a.tokens))
	a.tokens[token] = a.Now()
	reply(rw, http.StatusOK, map[string]any{"access_token": token, "refresh_token": "your-refresh-token", "token_type": "bearer", "expires_in": int(amazonTokenLife.Seconds())})
}

// operation is one of createReport, getReport and getReportDocument.
func (a *amazonSPAPI) operation(rw http.ResponseWriter, r *http.Request) {
	issued, known := a.tokens[r.Header.Get("x-amz-access-token")]
	// Side by side, a request may see the waits of others between the check of its token
	// and its answer: they are part of the tolerance.
	if !known || a.Now().After(issued.Add(2*amazonTokenLife)) || r.Header.Get("User-Agent") == "" {
		a.refuse(rw, r, http.StatusForbidden, "the access token is missing or expired, or there is no User-Agent")
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/reports/2021-06-30/")
	kind, id, _ := strings.Cut(path, "/")
	switch {
	case ok && kind == "reports" && id == "" && r.Method == http.MethodPost:
		a.create(rw, r)
	case ok && kind == "reports" && r.Method == http.MethodGet:
		a.status(rw, r, id)
	case ok && kind == "documents" && r.Method == http.MethodGet:
		a.document(rw, r, id)
	default:
		a.refuse(rw, r, http.StatusNotFound, "no such operation")
	}
}

func (a *amazonSPAPI) create(rw http.ResponseWriter, r *http.Request) {
	var body struct {
		ReportType                 string
		MarketplaceIds             []string
		DataStartTime, DataEndTime string
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil || !slices.Equal(body.MarketplaceIds, []string{"ATVPDKIKX0DER"}) {
		a.refuse(rw, r, http.StatusBadRequest, fmt.Sprintf("invalid input: %+v (%v)", body, err))
		return
	}
	a.requests["create"]++
	if a.requests["create"]%3 == 2 { // no token in the bucket; there is no Retry-After
		reply(rw, http.StatusTooManyRequests, map[string]any{"errors": []any{map[string]any{"code": "QuotaExceeded", "message": "You exceeded your quota for the requested resource."}}})
		return
	}
	report := &amazonReport{kind: body.ReportType, polls: 3}
	switch body.ReportType {
	case "GET_MERCHANT_LISTINGS_ALL_DATA":
		report.polls = 25 // longer than a token lives
	case "GET_AMAZON_FULFILLED_SHIPMENTS_DATA_GENERAL":
		var err, err2 error
		report.from, err = time.Parse(amazonTime, body.DataStartTime)
		report.to, err2 = time.Parse(amazonTime, body.DataEndTime)
		if err != nil || err2 != nil || report.to.After(a.Now()) || report.to.Sub(report.from) > 31*24*time.Hour {
			a.refuse(rw, r, http.StatusBadRequest, fmt.Sprintf("wrong dates: %+v", body))
			return
		}
	default:
		a.refuse(rw, r, http.StatusBadRequest, "no such report")
		return
	}
	a.reports = append(a.reports, report)
	reply(rw, http.StatusAccepted, map[string]any{"reportId": strconv.Itoa(len(a.reports) - 1)})
}

func (a *amazonSPAPI) find(id string) *amazonReport {
	i, err := strconv.Atoi(id)
	if err != nil || i < 0 || i >= len(a.reports) {
		return nil
	}
	return a.reports[i]
}

func (a *amazonSPAPI) status(rw http.ResponseWriter, r *http.Request, id string) {
	report := a.find(id)
	if report == nil {
		a.refuse(rw, r, http.StatusNotFound, "no such report")
		return
	}
	answer := map[string]any{"reportId": id, "reportType": report.kind, "createdTime": a.Now().Format(amazonTime), "processingStatus": "DONE"}
	switch report.polls--; {
	case report.polls >= 2:
		answer["processingStatus"] = "IN_QUEUE"
	case report.polls >= 0:
		answer["processingStatus"] = "IN_PROGRESS"
	case len(a.lines(report)) == 1: // it has no data
		answer["processingStatus"] = "CANCELLED"
	default:
		answer["reportDocumentId"] = "doc-" + id
	}
	reply(rw, http.StatusOK, answer)
}

func (a *amazonSPAPI) document(rw http.ResponseWriter, r *http.Request, id string) {
	report := a.find(strings.TrimPrefix(id, "doc-"))
	if report == nil || report.polls >= 0 || r.URL.RawQuery != "enableContentEncodingUrlHeader=true" {
		a.refuse(rw, r, http.StatusNotFound, "no such document, or its file has no Content-Encoding")
		return
	}
	report.ready = a.Now()
	answer := map[string]any{"reportDocumentId": id, "url": address(amazonFiles, "/"+id+"?X-Amz-Expires=300&X-Amz-Signature=sig%2F"+id)}
	if a.compressed(report) {
		answer["compressionAlgorithm"] = "GZIP"
	}
	reply(rw, http.StatusOK, answer)
}

// compressed: a report may be compressed or not; getReportDocument says so.
func (a *amazonSPAPI) compressed(r *amazonReport) bool { return len(a.lines(r)) > 10 }

func (a *amazonSPAPI) file(rw http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, "/")
	report := a.find(strings.TrimPrefix(id, "doc-"))
	switch {
	case report == nil || r.URL.Query().Get("X-Amz-Signature") != "sig/"+id:
		a.refuse(rw, r, http.StatusForbidden, "SignatureDoesNotMatch")
		return
	case r.Header.Get("x-amz-access-token") != "" || r.Header.Get("Authorization") != "":
		a.refuse(rw, r, http.StatusBadRequest, "a presigned address needs no credentials")
		return
	case a.Now().Sub(report.ready) > 15*time.Minute: // 5 minutes, and the waits of others
		a.refuse(rw, r, http.StatusForbidden, "the address has expired")
		return
	}
	text := []byte(strings.Join(a.lines(report), "\r\n") + "\r\n")
	if a.compressed(report) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write(text)
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			a.Error(err)
		}
		text = packed.Bytes()
		rw.Header().Set("Content-Encoding", "gzip")
	}
	rw.Header().Set("Content-Type", "text/plain;charset=UTF-8")
	if _, err := rw.Write(text); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// lines are the header and the records of a report.
func (a *amazonSPAPI) lines(r *amazonReport) []string {
	if r.kind == "GET_MERCHANT_LISTINGS_ALL_DATA" {
		lines := []string{"item-name\titem-description\tlisting-id\tseller-sku\tprice\tquantity\topen-date\tasin1\tfulfillment-channel\tstatus"}
		for sku, name := range a.listings {
			lines = append(lines, name+"\t\tL-"+sku+"\t"+sku+"\t9.99\t\t2026-01-01 00:00:00 PST\tB0"+sku+"\tAMAZON_NA\tActive")
		}
		slices.Sort(lines[1:])
		return lines
	}
	lines := []string{"amazon-order-id\tmerchant-order-id\tshipment-id\tshipment-item-id\tamazon-order-item-id\tmerchant-order-item-id\tpurchase-date\tpayments-date\tshipment-date\treporting-date\tsku\tproduct-name\tquantity-shipped\tcurrency\titem-price\titem-tax\tshipping-price"}
	for _, s := range a.shipments {
		if s.shipped.Before(r.from) || s.shipped.After(r.to) || s.reported > a.day() {
			continue
		}
		at := s.shipped.Format("2006-01-02T15:04:05+00:00")
		lines = append(lines, strings.Join([]string{"111-" + s.item, "", "S-" + s.item, s.item, "I-" + s.item, "", at, at, at, at, "SKU-1", `Shelf 24" wide`, "1", "USD", "12.50", "1.00", "0.00"}, "\t"))
	}
	return lines
}

func (a *amazonSPAPI) nextDay() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.started = a.Now()
	delete(a.listings, "SKU-2")
	a.listings["SKU-4"] = "New"
}

func (a *amazonSPAPI) expected(day int) tables {
	from := firstDay.AddDate(0, 0, -60)
	if day == 2 {
		from = firstDay.AddDate(0, 0, -3) // the lookback
	}
	want := tables{}
	for _, s := range a.shipments {
		if s.reported <= day && s.shipped.After(from) && s.shipped.Before(a.started) {
			want["fba_shipments"] = append(want["fba_shipments"], row{"shipment_item_id": s.item, "amazon_order_id": "111-" + s.item, "shipment_date": s.shipped.Format("2006-01-02T15:04:05+00:00"), "item_price": "12.50"})
		}
	}
	for sku, name := range a.listings {
		want["listings"] = append(want["listings"], row{"seller_sku": sku, "item_name": name, "listing_id": "L-" + sku, "status": "Active"})
	}
	return want
}
