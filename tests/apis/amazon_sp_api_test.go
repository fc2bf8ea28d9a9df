package apis

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// amazonSPAPI lists orders with their items, and the inventory of Fulfillment by Amazon.
// It makes reports: createReport, getReport until it is done, getReportDocument, and a file
// on another host. Facts: the models in https://github.com/amzn/selling-partner-api-models,
// https://developer-docs.amazon.com/sp-api/docs/orders-api-migration-guide,
// https://developer-docs.amazon.com/sp-api/docs/reports-api-v2021-06-30-reference,
// https://developer-docs.amazon.com/sp-api/docs/connecting-to-the-selling-partner-api.
type amazonSPAPI struct {
	*world
	tokens    map[string]time.Time // when they were issued
	reports   []*amazonReport
	shipments []amazonShipment
	orders    []amazonOrder
	// left is the number of requests in the bucket of searchOrders at a time.
	left     float64
	filled   time.Time
	full     time.Time         // until when createReport refuses requests
	listings map[string]string // names by SKU
	started  time.Time         // of the run of this day, as far as the API knows
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

type amazonOrder struct {
	id      string
	updated time.Time
	items   int
	pending bool // it has no proceeds yet
}

const (
	amazonHost  = "sellingpartnerapi-na.amazon.com"
	amazonFiles = "tortuga-prod-na.s3-external-1.amazonaws.com"
	// amazonTokenLife is shorter than the documented hour, so that tokens expire in a run.
	amazonTokenLife = 10 * time.Minute
	amazonTime      = "2006-01-02T15:04:05Z"
)

func newAmazonSPAPI(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "roles are for operations and reports, not for single objects: a missing one refuses createReport or searchOrders itself",
		missingParent: "Amazon keeps a report and its document for days, so neither is gone before it is requested",
	}
	a := &amazonSPAPI{world: w, tokens: map[string]time.Time{}, started: firstDay, left: 20, filled: w.Now()}
	a.listings = map[string]string{"SKU-1": `Shelf 24" wide`, "SKU-2": `"Deluxe" lamp`, "SKU-3": "Café table"}
	for i := range 80 { // every 8 hours, for 26 days: there is no data for the first report
		a.add(i, firstDay.Add(-time.Duration(i)*8*time.Hour-30*time.Minute), 1)
	}
	a.add(1001, firstDay.Add(-50*time.Hour), 2) // reported late
	a.add(1002, firstDay.Add(5*time.Hour), 2)
	for i := range 260 {
		a.put(i, firstDay.Add(-time.Duration(i)*4*time.Hour), 1+i%3)
	}
	a.put(300, firstDay.Add(-time.Hour), 1) // where the lookback of the next run starts
	return a
}

func (a *amazonSPAPI) put(i int, updated time.Time, items int) {
	o := amazonOrder{fmt.Sprintf("111-%07d", i), updated, items, i%50 == 0}
	a.orders = put(a.orders, o, func(x amazonOrder) bool { return x.id == o.id })
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
	switch r.Host {
	case "api.amazon.com":
		a.login(rw, r)
	case amazonFiles:
		a.file(rw, r)
	case amazonHost:
		a.operation(rw, r)
	default:
		a.refuse("no such host")
	}
}

func (a *amazonSPAPI) login(rw http.ResponseWriter, r *http.Request) {
	want := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"your-refresh-token"}, "client_id": {"your-client-id"}, "client_secret": {"your-client-secret"}}
	err := r.ParseForm()
	a.refuseIf(err != nil || r.Method != http.MethodPost || r.URL.Path != "/auth/o2/token" ||
		r.URL.RawQuery != "" || r.PostForm.Encode() != want.Encode(),
		"invalid_grant: "+r.PostForm.Encode())
	for _, issued := range a.tokens {
		if age := a.Now().Sub(issued); age > amazonTokenLife && age < time.Hour {
			a.shows(expiredToken) // the last one, in this run
		}
	}
	token := "Atza|" + strconv.Itoa(len(a.tokens))
	a.tokens[token] = a.Now()
	reply(rw, http.StatusOK, object{"access_token": token, "refresh_token": "your-refresh-token", "token_type": "bearer", "expires_in": int(amazonTokenLife.Seconds())})
}

func (a *amazonSPAPI) operation(rw http.ResponseWriter, r *http.Request) {
	issued, known := a.tokens[r.Header.Get("x-amz-access-token")]
	// Side by side, a request may see the waits of others between the check of its token
	// and its response: they are part of the tolerance.
	a.refuseIf(!known || a.Now().After(issued.Add(2*amazonTokenLife)) ||
		r.Header.Get("User-Agent") == "", "the access token is missing or expired, or there is no User-Agent")
	switch r.URL.Path {
	case "/orders/2026-01-01/orders":
		a.searchOrders(rw, r)
		return
	case "/fba/inventory/v1/summaries":
		a.inventory(rw, r)
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
		a.refuse("no such operation")
	}
}

// searchOrders sends a page of the orders that were updated at a time or later. A token
// belongs to the parameters of the first page.
func (a *amazonSPAPI) searchOrders(rw http.ResponseWriter, r *http.Request) {
	a.left = min(20, a.left+0.0056*a.Now().Sub(a.filled).Seconds())
	a.filled = a.Now()
	if a.count("orders") == 2 { // another program has sent the others
		a.left = 0
	}
	if a.left < 1 {
		a.failUntil(rw, r, a.Now().Add(time.Duration((1-a.left)/0.0056*float64(time.Second))), http.StatusTooManyRequests, object{"errors": []any{object{"code": "QuotaExceeded", "message": "You exceeded your quota for the requested resource."}}})
		return
	}
	a.left--
	query := r.URL.Query()
	since, err := time.Parse(amazonTime, query.Get("lastUpdatedAfter"))
	token := query.Get("paginationToken")
	query.Del("paginationToken")
	offset, first, paged := strings.Cut(token, "|")
	from, err2 := strconv.Atoi(offset)
	size, err3 := strconv.Atoi(query.Get("maxResultsPerPage"))
	a.refuseIf(err != nil || err3 != nil || size < 1 || size > 100 ||
		query.Get("marketplaceIds") != "ATVPDKIKX0DER" || len(query) != 4, "InvalidInput")
	a.refuseIf(token != "" && (!paged || err2 != nil || first != query.Encode()),
		"The paginationToken you have submitted is not valid. All parameters must match the original request except maxResultsPerPage.")
	found := without(a.orders, func(o amazonOrder) bool { return o.updated.Before(since) })
	slices.SortFunc(found, func(x, y amazonOrder) int { return strings.Compare(x.id, y.id) })
	if from == 100 { // fewer orders than the size, and still a next page
		size = 70
		a.shows(shortPage)
	}
	response := object{"pagination": object{}, "lastUpdatedBefore": a.Now().Add(-2 * time.Minute).Format(amazonTime)}
	if from+size < len(found) {
		response["pagination"] = object{"nextToken": strconv.Itoa(from+size) + "|" + query.Encode()}
	}
	page := []any{}
	for _, o := range cut(found, from, size) {
		a.showsIf(o.updated.Equal(since), tie)
		page = append(page, a.order(o, query.Get("includedData")))
	}
	response["orders"] = page
	reply(rw, http.StatusOK, response)
}

func (a *amazonSPAPI) order(o amazonOrder, included string) object {
	order := object{
		"orderId": o.id, "createdTime": "2026-01-01T00:00:00Z", "lastUpdatedTime": o.updated.Format(amazonTime),
		"salesChannel": object{"channelName": "AMAZON", "marketplaceId": "ATVPDKIKX0DER"},
	}
	status := "SHIPPED"
	if o.pending {
		status = "PENDING"
		a.shows(absentKey)
	}
	items := []any{}
	for i := range o.items { // the first item of every order has the same id
		item := object{"orderItemId": strconv.Itoa(1000 + i), "quantityOrdered": 1, "product": object{"sellerSku": "SKU-1", "asin": "B0SKU1"}}
		if !o.pending && strings.Contains(included, "PROCEEDS") {
			item["proceeds"] = object{"proceedsTotal": amazonMoney("13.50"), "breakdowns": []any{
				object{"type": "ITEM", "subtotal": amazonMoney("12.50")}, object{"type": "TAX", "subtotal": amazonMoney("1.00")},
			}}
		}
		items = append(items, item)
	}
	if strings.Contains(included, "FULFILLMENT") {
		order["fulfillment"] = object{"fulfillmentStatus": status, "fulfilledBy": "AMAZON"}
	}
	if !o.pending && strings.Contains(included, "PROCEEDS") {
		order["proceeds"] = object{"grandTotal": amazonMoney("27.00")}
	}
	order["orderItems"] = items
	return order
}

func amazonMoney(amount string) object { return object{"amount": amount, "currencyCode": "USD"} }

// amazonStock are 110 SKUs; a page has 50.
const amazonStock = 110

// inventory sends a page of the stock. The token of a page ends after 30 seconds.
func (a *amazonSPAPI) inventory(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	token := query.Get("nextToken")
	offset, issued, _ := strings.Cut(token, "|")
	from, _ := strconv.Atoi(offset)
	at, err := time.Parse(time.RFC3339, issued)
	a.refuseIf(query.Get("granularityType") != "Marketplace" ||
		query.Get("granularityId") != "ATVPDKIKX0DER" ||
		query.Get("marketplaceIds") != "ATVPDKIKX0DER" || query.Get("details") != "true", "InvalidInput")
	a.refuseIf(token != "" && (err != nil || a.Now().Sub(at) > 30*time.Second), "the token has expired")
	switch a.count("inventory") {
	case 2:
		fail(rw, http.StatusTooManyRequests, object{"errors": []any{object{"code": "QuotaExceeded", "message": "You exceeded your quota for the requested resource."}}})
	case 3:
		a.shows(errorIn200)
		reply(rw, http.StatusOK, object{"errors": []any{object{"code": "InternalFailure", "message": "Try again."}}})
		return
	}
	page := []any{}
	for i := from; i < min(from+50, amazonStock); i++ {
		item := object{
			"sellerSku": "SKU-" + strconv.Itoa(i), "fnSku": "X00" + strconv.Itoa(i), "asin": "B0" + strconv.Itoa(i), "condition": "NewItem", "productName": "", "totalQuantity": i,
			"inventoryDetails": object{"fulfillableQuantity": i, "reservedQuantity": object{"totalReservedQuantity": 0}}, "lastUpdatedTime": "",
		}
		if i == 0 { // the model requires no member
			delete(item, "fnSku")
			delete(item, "condition")
		}
		page = append(page, item)
	}
	response := object{"payload": object{"granularity": object{}, "inventorySummaries": page}}
	if from+50 < amazonStock {
		response["pagination"] = object{"nextToken": strconv.Itoa(from+50) + "|" + a.Now().Format(time.RFC3339)}
	}
	reply(rw, http.StatusOK, response)
}

func (a *amazonSPAPI) create(rw http.ResponseWriter, r *http.Request) {
	var body struct {
		ReportType                 string
		MarketplaceIds             []string
		DataStartTime, DataEndTime string
	}
	err := strictly(r.Body, &body)
	a.refuseIf(err != nil || !slices.Equal(body.MarketplaceIds, []string{"ATVPDKIKX0DER"}),
		fmt.Sprintf("invalid input: %+v (%v)", body, err))
	a.requests["create"]++
	if a.requests["create"] == 2 || a.requests["create"] == 7 {
		a.full = a.Now().Add(time.Second * 10000 / 167)
	}
	if a.Now().Before(a.full) { // there is no Retry-After
		a.refusedAgain(body.ReportType+body.DataStartTime, a.full)
		fail(rw, http.StatusTooManyRequests, object{"errors": []any{object{"code": "QuotaExceeded", "message": "You exceeded your quota for the requested resource."}}})
	}
	report := &amazonReport{kind: body.ReportType, polls: 3}
	switch body.ReportType {
	case "GET_MERCHANT_LISTINGS_ALL_DATA":
		report.polls = 25 // longer than a token lives
	case "GET_AMAZON_FULFILLED_SHIPMENTS_DATA_GENERAL":
		var err, err2 error
		report.from, err = time.Parse(amazonTime, body.DataStartTime)
		report.to, err2 = time.Parse(amazonTime, body.DataEndTime)
		a.refuseIf(err != nil || err2 != nil || report.to.After(a.Now()) ||
			report.to.Sub(report.from) > 31*24*time.Hour, fmt.Sprintf("wrong dates: %+v", body))
	default:
		a.refuse("no such report")
	}
	a.reports = append(a.reports, report)
	reply(rw, http.StatusAccepted, object{"reportId": strconv.Itoa(len(a.reports) - 1)})
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
	a.refuseIf(report == nil, "no such report")
	response := object{"reportId": id, "reportType": report.kind, "createdTime": a.Now().Format(amazonTime), "processingStatus": "DONE"}
	switch report.polls--; {
	case report.polls >= 2:
		response["processingStatus"] = "IN_QUEUE"
	case report.polls >= 0:
		response["processingStatus"] = "IN_PROGRESS"
	case len(a.lines(report)) == 1: // it has no data
		response["processingStatus"] = "CANCELLED"
	default:
		response["reportDocumentId"] = "doc-" + id
	}
	reply(rw, http.StatusOK, response)
}

func (a *amazonSPAPI) document(rw http.ResponseWriter, r *http.Request, id string) {
	report := a.find(strings.TrimPrefix(id, "doc-"))
	a.refuseIf(report == nil || report.polls >= 0 ||
		r.URL.RawQuery != "enableContentEncodingUrlHeader=true",
		"no such document, or its file has no Content-Encoding")
	report.ready = a.Now()
	response := object{"reportDocumentId": id, "url": address(amazonFiles, "/"+id+"?X-Amz-Expires=300&X-Amz-Signature=sig%2F"+id)}
	if a.compressed(report) {
		response["compressionAlgorithm"] = "GZIP"
	}
	reply(rw, http.StatusOK, response)
}

// compressed: a report may be compressed or not; getReportDocument says so.
func (a *amazonSPAPI) compressed(r *amazonReport) bool { return len(a.lines(r)) > 10 }

func (a *amazonSPAPI) file(rw http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, "/")
	report := a.find(strings.TrimPrefix(id, "doc-"))
	a.refuseIf(report == nil || r.URL.Query().Get("X-Amz-Signature") != "sig/"+id, "SignatureDoesNotMatch")
	a.refuseIf(r.Header.Get("x-amz-access-token") != "" || r.Header.Get("Authorization") != "",
		"a presigned address needs no credentials")
	// 5 minutes, and the waits of others
	a.refuseIf(a.Now().Sub(report.ready) > 15*time.Minute, "the address has expired")
	if report.kind == "GET_MERCHANT_LISTINGS_ALL_DATA" {
		a.shows(archived, oddValue) // a listing that is not for sale, and one without a quantity
		a.showsIf(a.listings["SKU-2"] == "", deleted)
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

// amazonStatus is the status of a listing: those that are not for sale are listed too.
func amazonStatus(sku string) string {
	if sku == "SKU-3" {
		return "Inactive"
	}
	return "Active"
}

func (a *amazonSPAPI) lines(r *amazonReport) []string {
	if r.kind == "GET_MERCHANT_LISTINGS_ALL_DATA" {
		lines := []string{"item-name\titem-description\tlisting-id\tseller-sku\tprice\tquantity\topen-date\tasin1\tfulfillment-channel\tstatus"}
		for sku, name := range a.listings {
			lines = append(lines, name+"\t\tL-"+sku+"\t"+sku+"\t9.99\t\t2026-01-01 00:00:00 PST\tB0"+sku+"\tAMAZON_NA\t"+amazonStatus(sku))
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
	a.started = a.Now()
	delete(a.listings, "SKU-2")
	a.listings["SKU-4"] = "New"
	a.put(200, a.Now().Add(-2*time.Hour), 2)
	a.put(301, a.Now().Add(-3*time.Hour), 1)
}

func (a *amazonSPAPI) expected(day int) tables {
	from := firstDay.AddDate(0, 0, -60)
	if day == 2 {
		from = firstDay.AddDate(0, 0, -3) // the lookback
	}
	want := tables{}
	since := firstDay.AddDate(0, 0, -30)
	if day == 2 {
		since = firstDay.Add(-time.Hour) // the lookback
	}
	for _, o := range a.orders {
		if o.updated.Before(since) {
			continue
		}
		order := row{"id": o.id, "updated_at": o.updated.Format(amazonTime), "status": "SHIPPED", "total": "27.00", "currency": "USD"}
		item := row{"order_id": o.id, "seller_sku": "SKU-1", "quantity": "1", "total": "13.50", "tax": "1.00", "shipping": ""}
		if o.pending {
			order["status"], order["total"], order["currency"] = "PENDING", "", ""
			item["total"], item["tax"] = "", ""
		}
		want.add("orders", order)
		for i := range o.items {
			line := maps.Clone(item)
			line["id"] = strconv.Itoa(1000 + i)
			want.add("order_items", line)
		}
	}
	want["fba_inventory"] = []row{{"seller_sku": "SKU-0", "fn_sku": "", "condition": "", "total": "0"}}
	for i := 1; i < amazonStock; i++ {
		n := strconv.Itoa(i)
		want.add("fba_inventory", row{"seller_sku": "SKU-" + n, "fn_sku": "X00" + n, "condition": "NewItem", "total": n, "fulfillable": n, "reserved": "0"})
	}
	for _, s := range a.shipments {
		if s.reported <= day && s.shipped.After(from) && s.shipped.Before(a.started) {
			want.add("fba_shipments", row{"shipment_item_id": s.item, "amazon_order_id": "111-" + s.item, "shipment_date": s.shipped.Format("2006-01-02T15:04:05+00:00"), "item_price": "12.50"})
		}
	}
	for sku, name := range a.listings {
		want.add("listings", row{"seller_sku": sku, "item_name": name, "listing_id": "L-" + sku, "status": amazonStatus(sku)})
	}
	return want
}
