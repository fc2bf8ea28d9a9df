package apis

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// netsuite answers SuiteQL queries in pages. Each request is signed by OAuth 1.0. Facts:
// https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html
// (queries), section_156414087576.html (pages), section_1534941295.html (signatures).
type netsuite struct {
	*world
	tables map[string][]netsuiteRow // by the table of the query, in the order of the ids
	nonces map[string]bool
}

type netsuiteRow struct {
	id       int
	modified time.Time // in the time zone of the account
	fields   map[string]any
}

func newNetsuite(w *world) imitation {
	n := &netsuite{world: w, tables: map[string][]netsuiteRow{}, nonces: map[string]bool{}}
	start := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for i := range 1100 { // two pages in one window
		n.add("customer", i, start.Add(time.Duration(i)*time.Minute))
	}
	for i := range 1000 { // one full page
		n.add("item", i, start)
	}
	for i := range 60 {
		n.add("transaction", i, time.Date(2016, time.Month(i), 1, 0, 0, 0, 0, time.UTC))
	}
	n.add("transaction", 100, firstDay.Add(6*time.Hour)) // an account where it is already later
	return n
}

func (n *netsuite) add(table string, id int, modified time.Time) {
	fields := map[string]any{"links": []any{}, "id": strconv.Itoa(id), "lastmodified": modified.Format(time.DateTime)}
	switch table {
	case "customer":
		fields["entityid"] = fmt.Sprintf("C%d", id)
	case "item":
		fields["itemid"], fields["itemtype"] = fmt.Sprintf("I%d", id), "InvtPart"
	case "transaction":
		fields["tranid"], fields["type"], fields["foreigntotal"] = fmt.Sprintf("T%d", id), "CustInvc", "12.5"
	}
	n.tables[table] = append(n.tables[table], netsuiteRow{id, modified, fields})
}

// netsuiteQuery is the form of the queries that the imitation understands.
var netsuiteQuery = regexp.MustCompile(`^SELECT .* FROM (.*) WHERE ([t.]*)lastmodifieddate >= TO_DATE\('(\d{4}-\d\d-\d\d)', 'YYYY-MM-DD'\) AND ([t.]*)lastmodifieddate < TO_DATE\('(\d{4}-\d\d-\d\d)', 'YYYY-MM-DD'\) ORDER BY (.*)$`)

func (n *netsuite) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	query := r.URL.Query()
	limit, err := strconv.Atoi(query.Get("limit"))
	offset, wrong := strconv.Atoi(query.Get("offset"))
	switch {
	case r.Host != "your-account-id.suitetalk.api.netsuite.com" || r.URL.Path != "/services/rest/query/v1/suiteql" || r.Method != http.MethodPost:
		n.refuse(rw, r, http.StatusNotFound, "no such resource")
		return
	case r.Header.Get("Prefer") != "transient":
		n.refuse(rw, r, http.StatusBadRequest, "the header Prefer: transient is required")
		return
	case err != nil || wrong != nil || limit < 1 || limit > 1000 || offset%limit != 0:
		n.refuse(rw, r, http.StatusBadRequest, "wrong limit or offset")
		return
	}
	if err := n.signed(r); err != nil {
		n.refuse(rw, r, http.StatusUnauthorized, err.Error())
		return
	}
	n.requests["all"]++
	if n.requests["all"] == 5 { // too many requests at once
		reply(rw, http.StatusTooManyRequests, map[string]any{"title": "Too Many Requests", "status": 429})
		return
	}
	var body struct{ Q string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		n.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	rows, err := n.run(body.Q)
	if err != nil {
		n.refuse(rw, r, http.StatusBadRequest, err.Error())
		return
	}
	page := rows[min(offset, len(rows)):min(offset+limit, len(rows))]
	reply(rw, http.StatusOK, map[string]any{
		"links": []any{}, "count": len(page), "hasMore": offset+limit < len(rows), "items": page, "offset": offset, "totalResults": len(rows),
	})
}

// run returns the rows of a query.
func (n *netsuite) run(query string) ([]any, error) {
	parts := netsuiteQuery.FindStringSubmatch(query)
	if parts == nil {
		return nil, fmt.Errorf("cannot read the query %s", query)
	}
	table, order := parts[1], "id"
	lines := table == "transaction t INNER JOIN transactionline l ON l.transaction = t.id"
	if lines {
		table, order = "transaction", "l.transaction, l.id"
	}
	from, err := time.Parse(time.DateOnly, parts[3])
	to, wrong := time.Parse(time.DateOnly, parts[5])
	if err != nil || wrong != nil || n.tables[table] == nil || parts[6] != order {
		return nil, fmt.Errorf("wrong bounds, table or order in %s", query)
	}
	rows := []any{}
	for _, r := range n.tables[table] {
		switch {
		case r.modified.Before(from) || !r.modified.Before(to):
		case lines: // each transaction has the lines 0 and 1
			for line := range 2 {
				rows = append(rows, map[string]any{"links": []any{}, "transaction": strconv.Itoa(r.id), "id": strconv.Itoa(line), "mainline": "F", "netamount": "-12.5"})
			}
		default:
			rows = append(rows, r.fields)
		}
	}
	return rows, nil
}

var netsuiteParameter = regexp.MustCompile(`(\w+)="([^"]*)"`)

// signed checks the header Authorization.
func (n *netsuite) signed(r *http.Request) error {
	given := map[string]string{}
	for _, m := range netsuiteParameter.FindAllStringSubmatch(r.Header.Get("Authorization"), -1) {
		v, err := url.PathUnescape(m[2])
		if err != nil {
			return err
		}
		given[m[1]] = v
	}
	seconds, err := strconv.ParseInt(given["oauth_timestamp"], 10, 64)
	if err != nil || n.Now().Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return fmt.Errorf("wrong oauth_timestamp")
	}
	if given["realm"] != "your-account-id" || given["oauth_consumer_key"] != "your-consumer-key" || given["oauth_token"] != "your-token-id" || given["oauth_signature_method"] != "HMAC-SHA256" || n.nonces[given["oauth_nonce"]] {
		return fmt.Errorf("wrong realm, key, token or method, or a nonce that came before")
	}
	n.nonces[given["oauth_nonce"]] = true
	var pairs []string
	for name, v := range given {
		if name != "realm" && name != "oauth_signature" {
			pairs = append(pairs, rawURLEncode(name)+"="+rawURLEncode(v))
		}
	}
	for name, values := range r.URL.Query() {
		pairs = append(pairs, rawURLEncode(name)+"="+rawURLEncode(values[0]))
	}
	slices.Sort(pairs)
	mac := hmac.New(sha256.New, []byte("your-consumer-secret&your-token-secret"))
	mac.Write([]byte(r.Method + "&" + rawURLEncode(address(r.Host, r.URL.Path)) + "&" + rawURLEncode(strings.Join(pairs, "&"))))
	if base64.StdEncoding.EncodeToString(mac.Sum(nil)) != given["oauth_signature"] {
		return fmt.Errorf("wrong oauth_signature")
	}
	return nil
}

// rawURLEncode writes everything but unreserved characters with percent signs.
func rawURLEncode(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

func (n *netsuite) nextDay() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tables["customer"][3].modified = n.Now().Add(-time.Hour)
	n.tables["customer"][3].fields["entityid"] = "changed"
	n.tables["item"] = slices.Delete(n.tables["item"], 4, 5)
	n.add("transaction", 200, n.Now().Add(-time.Hour))
}

func (n *netsuite) expected(day int) tables {
	want := tables{}
	since := time.Time{}
	if day == 2 {
		since = time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
	}
	names := map[string]string{"customer": "entityid", "item": "itemid", "transaction": "tranid"}
	for table, name := range names {
		for _, r := range n.tables[table] {
			if r.modified.Before(since) {
				continue
			}
			id := strconv.Itoa(r.id)
			want[table+"s"] = append(want[table+"s"], row{"id": id, name: r.fields[name].(string)})
			if table == "transaction" {
				for _, line := range []string{"0", "1"} {
					want["transaction_lines"] = append(want["transaction_lines"], row{"transaction_id": id, "id": line, "netamount": "-12.5"})
				}
			}
		}
	}
	return want
}
