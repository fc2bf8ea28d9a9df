package apis

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// netsuite responds to SuiteQL queries in pages of at most 1,000 rows, and leaves out empty
// fields. Facts: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html
// (queries), section_156414087576.html (pages), section_162790605110.html and
// section_162755359851.html (tokens).
type netsuite struct {
	*world
	tables map[string]*netsuiteTable // by what follows FROM
	tokens map[string]*netsuiteToken
}

type netsuiteTable struct {
	// key is the column that a query pages by, modified are those of the times that it
	// compares.
	key, modified string
	// columns are those that can be selected.
	columns string
	rows    []netsuiteRow // in the order of their keys
}

type netsuiteRow struct {
	key int
	// modified is the latest of its times, in the time zone of the account.
	modified time.Time
	fields   object
}

type netsuiteToken struct {
	ends    time.Time
	isFirst bool // it is revoked after some requests
	uses    int
}

const (
	netsuiteHost  = "your-account-id.suitetalk.api.netsuite.com"
	netsuiteLines = "transactionline l INNER JOIN transaction t ON t.id = l.transaction LEFT JOIN transactionaccountingline a ON a.transaction = l.transaction AND a.transactionline = l.id AND a.accountingbook = 1"
)

// netsuiteZone is that of the account: days begin later there than in UTC.
var netsuiteZone = time.FixedZone("PST", -8*60*60)

// netsuiteKey is the private key of the certificate in all tests.
var netsuiteKey = sync.OnceValue(func() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
})

func newNetsuite(w *world) mockServer {
	w.notShown = map[condition]string{
		forbidden:     "a query names tables, and no records of other tables that may be forbidden",
		missingParent: "lines are found by a join, not by a request for each transaction",
		shortPage:     "only the last page of a query has fewer rows than the limit",
		errorIn200:    "SuiteQL reports errors with the status 400 and above",
	}
	n := &netsuite{world: w, tokens: map[string]*netsuiteToken{}, tables: map[string]*netsuiteTable{
		"customer":      {key: "id", modified: "lastmodifieddate", columns: "id entityid altname companyname email isinactive created lastmodified"},
		"vendor":        {key: "id", modified: "lastmodifieddate", columns: "id entityid altname companyname email isinactive lastmodified"},
		"item":          {key: "id", modified: "lastmodifieddate", columns: "id itemid displayname itemtype isinactive lastmodified"},
		"account":       {key: "id", modified: "lastmodifieddate", columns: "id acctnumber fullname accttype parent isinactive lastmodified"},
		"transaction":   {key: "id", modified: "lastmodifieddate", columns: "id tranid type typename trandate status statusname entity entityname period posting voided memo currency currencyname foreigntotal created lastmodified"},
		netsuiteLines:   {key: "l.uniquekey", modified: "t.lastmodifieddate l.linelastmodifieddate a.lastmodifieddate", columns: "uniquekey transaction id linesequencenumber mainline taxline item memo quantity rate netamount account posting debit credit amount transactionmodified"},
		"deletedrecord": {columns: "type recordid name deleted"},
	}}
	old := time.Date(2016, 1, 2, 0, 0, 0, 0, netsuiteZone)
	for i := range 2000 { // two full pages, the second of which is the last
		n.add("customer", 10+i, old.Add(time.Duration(i)*time.Minute), object{"entityid": fmt.Sprintf("C%d", i), "email": "a@example.com"})
	}
	n.tables["customer"].rows[1].fields["email"] = nil
	n.tables["customer"].rows[2].fields["isinactive"] = "T"
	n.add("vendor", 5000, old, object{"entityid": "V1", "altname": "Supplies"})
	n.add("item", -2, time.Time{}, object{"itemid": "Subtotal"}) // comes with NetSuite, and never changed
	n.add("item", 7, old, object{"itemid": "I7", "itemtype": "InvtPart", "displayname": " "})
	n.add("account", 1, old, object{"acctnumber": "0100", "fullname": "Checking", "accttype": "Bank"})
	for i := range 1400 {
		n.invoice(100+i, old.AddDate(0, 0, i), "12.5")
	}
	n.delete("customer", 9, "Former", firstDay.AddDate(0, 0, -40))  // no run ever had it
	n.delete("customer", 7, "Earlier", firstDay.Add(-60*time.Hour)) // before the default of the second day, in its lookback
	n.delete("customer", 8, "Recent", firstDay.Add(-30*time.Hour))
	return n
}

func (n *netsuite) add(table string, key int, modified time.Time, fields object) {
	modified = modified.In(netsuiteZone)
	if table != netsuiteLines {
		fields["id"] = strconv.Itoa(key)
	}
	if fields["isinactive"] == nil {
		fields["isinactive"] = "F"
	}
	if !modified.IsZero() {
		fields["lastmodified"] = modified.Format(time.DateTime)
	}
	n.tables[table].rows = append(n.tables[table].rows, netsuiteRow{key, modified, fields})
}

// invoice adds a transaction with two lines: the sum, and an item.
func (n *netsuite) invoice(id int, modified time.Time, total string) {
	n.add("transaction", id, modified, object{"tranid": fmt.Sprintf("T%d", id), "type": "CustInvc", "typename": "Invoice", "status": "A", "statusname": "Invoice : Open", "entity": "10", "entityname": "C0", "posting": "T", "voided": "F", "foreigntotal": total})
	for line, amounts := range []object{{"mainline": "T", "netamount": total, "debit": total}, {"mainline": "F", "netamount": "-" + total, "credit": total, "quantity": "-1", "item": "7"}} {
		amounts["transaction"], amounts["id"], amounts["linesequencenumber"], amounts["account"] = strconv.Itoa(id), strconv.Itoa(line), strconv.Itoa(line), "1"
		key := 10*id + line
		amounts["uniquekey"], amounts["transactionmodified"] = strconv.Itoa(key), modified.In(netsuiteZone).Format(time.DateTime)
		n.add(netsuiteLines, key, modified, amounts)
	}
}

func (n *netsuite) delete(table string, id int, name string, at time.Time) {
	at = at.In(netsuiteZone)
	log := n.tables["deletedrecord"]
	log.rows = append(log.rows, netsuiteRow{id, at, object{"type": table, "recordid": strconv.Itoa(id), "name": name, "deleted": at.Format(time.DateTime)}})
}

func (n *netsuite) keys() map[string]string { return n.privateKey(netsuiteKey()) }

func (n *netsuite) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	n.refuseIf(r.Host != netsuiteHost || r.Method != http.MethodPost, "no such resource")
	switch {
	case r.URL.Path == "/services/rest/auth/oauth2/v1/token":
		n.refuseError(n.login(r))
		name := "token-" + strconv.Itoa(len(n.tokens))
		n.tokens[name] = &netsuiteToken{ends: n.Now().Add(time.Hour), isFirst: len(n.tokens) == 0}
		reply(rw, http.StatusOK, object{"access_token": name, "expires_in": "3600", "token_type": "bearer"})
	case r.URL.Path == "/services/rest/query/v1/suiteql":
		n.query(rw, r)
	default:
		n.refuse("no such resource")
	}
}

func (n *netsuite) login(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	if len(r.PostForm) != 3 || r.PostForm.Get("grant_type") != "client_credentials" ||
		r.PostForm.Get("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" {
		return fmt.Errorf("not a grant by a certificate: %s", r.PostForm.Encode())
	}
	var header struct{ Alg, Typ, Kid string }
	var claims struct {
		Iss, Aud string
		Scope    []string
		Iat, Exp int64
	}
	isES256 := func(sum, signature []byte) bool {
		return len(signature) == 64 && ecdsa.Verify(&netsuiteKey().PublicKey, sum, new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	}
	if err := readJWT(r.PostForm.Get("client_assertion"), isES256, &header, &claims); err != nil {
		return err
	}
	switch now := n.Now().Unix(); {
	case header.Alg != "ES256" || header.Typ != "JWT" || header.Kid != "your-certificate-id":
		return fmt.Errorf("header %+v", header)
	case claims.Iss != "your-client-id" || !slices.Equal(claims.Scope, []string{"rest_webservices"}) || claims.Aud != address(netsuiteHost, "/services/rest/auth/oauth2/v1/token"):
		return fmt.Errorf("claims %+v", claims)
	// With concurrency the waits of other requests advance the clock while this one is under way.
	case claims.Iat > now || claims.Iat < now-3600 || claims.Exp <= now || claims.Exp-claims.Iat >= 3600:
		return fmt.Errorf("claims %+v at %d", claims, now)
	}
	return nil
}

func (n *netsuite) query(rw http.ResponseWriter, r *http.Request) {
	parameters := r.URL.Query()
	limit, err := strconv.Atoi(parameters.Get("limit"))
	offset, wrong := strconv.Atoi(cmp.Or(parameters.Get("offset"), "0"))
	token := n.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	n.refuseIf(r.Header.Get("Prefer") != "transient", "the header Prefer: transient is required")
	n.refuseIf(err != nil || wrong != nil || limit < 1 || limit > 1000 || offset%limit != 0,
		"wrong limit or offset")
	n.refuseIf(token == nil, "unknown token")
	if token.uses++; n.Now().After(token.ends) || token.isFirst && token.uses > 4 {
		n.shows(expiredToken)
		netsuiteError(rw, http.StatusUnauthorized, "INVALID_LOGIN", "Invalid login attempt.")
		return
	}
	if n.count("all") == 6 {
		netsuiteError(rw, http.StatusTooManyRequests, "CONCURRENCY_LIMIT_EXCEEDED", "Concurrent request limit exceeded. Request blocked.")
		return
	}
	var body struct{ Q string }
	n.refuseError(json.NewDecoder(r.Body).Decode(&body))
	rows, err := n.run(body.Q)
	n.refuseIf(err != nil, err)
	page := cut(rows, offset, limit)
	reply(rw, http.StatusOK, object{
		"links": []any{}, "count": len(page), "hasMore": offset+limit < len(rows), "items": page, "offset": offset, "totalResults": len(rows),
	})
	if n.requests["customers"] == 1 { // a customer changes while its table is read
		n.requests["customers"]++
		n.change(5, "During")
	}
}

func netsuiteError(rw http.ResponseWriter, status int, code, detail string) {
	reply(rw, status, object{"title": http.StatusText(status), "status": status, "o:errorDetails": []any{object{"detail": detail, "o:errorCode": code}}})
}

var (
	// suiteqlByKey and suiteqlDeleted are the forms of the queries that the mock server
	// understands.
	suiteqlByKey   = regexp.MustCompile(`^SELECT (.+) FROM (.+) WHERE (\S+) > (-?\d+)(?: AND \(?(\S+ >= TO_DATE.+?'\))\)?)? ORDER BY (\S+)$`)
	suiteqlDeleted = regexp.MustCompile(`^SELECT (.+) FROM (deletedrecord) WHERE deleteddate >= TO_DATE\('(\d{4}-\d\d-\d\d)', 'YYYY-MM-DD'\) ORDER BY deleteddate, type, recordid$`)
	// suiteqlTime is a comparison with a day.
	suiteqlTime = regexp.MustCompile(`^(\S+) >= TO_DATE\('(\d{4}-\d\d-\d\d)', 'YYYY-MM-DD'\)$`)
	// suiteqlColumn is a column of a selection, or a function of one with a name.
	suiteqlColumn = regexp.MustCompile(`(?:[A-Z.]+_?[A-Z]*\([\w.]+(?:, '[^']*')?\) AS (\w+)|(?:\w\.)?(\w+))(?:, |$)`)
)

func (n *netsuite) run(query string) ([]any, error) {
	var selection, table, day string
	above := -1 << 30
	if parts := suiteqlDeleted.FindStringSubmatch(query); parts != nil {
		selection, table, day = parts[1], parts[2], parts[3]
	} else if parts := suiteqlByKey.FindStringSubmatch(query); parts != nil {
		selection, table = parts[1], parts[2]
		above, _ = strconv.Atoi(parts[4])
		from := n.tables[table]
		if from == nil || parts[3] != from.key || parts[6] != from.key {
			return nil, fmt.Errorf("wrong table, key or order in %s", query)
		}
		var compared []string
		for _, comparison := range strings.Split(parts[5], " OR ") {
			if time := suiteqlTime.FindStringSubmatch(comparison); time != nil {
				compared, day = append(compared, time[1]), time[2]
			}
		}
		if parts[5] != "" && strings.Join(compared, " ") != from.modified {
			return nil, fmt.Errorf("wrong times in %s", query)
		}
	} else {
		return nil, fmt.Errorf("cannot read the query %s", query)
	}
	since := time.Time{}
	if day != "" {
		var err error
		if since, err = time.ParseInLocation(time.DateOnly, day, netsuiteZone); err != nil {
			return nil, err
		}
	}
	if table == "customer" {
		n.requests["customers"]++
	}
	rows := []any{}
	for _, r := range n.tables[table].rows {
		// A comparison with a date is never true for a row without one.
		if r.key <= above || day != "" && (r.modified.IsZero() || r.modified.Before(since)) {
			continue
		}
		row := object{"links": []any{}}
		for _, m := range suiteqlColumn.FindAllStringSubmatch(selection, -1) {
			name := m[1] + m[2]
			if !slices.Contains(strings.Fields(n.tables[table].columns), name) {
				return nil, fmt.Errorf("unknown identifier %q", name)
			}
			if v := r.fields[name]; v != nil {
				row[name] = v
			}
		}
		rows = append(rows, row)
		n.shows(map[string][]condition{
			"customer":      {absentKey}, // not each has an e-mail
			"item":          {oddValue},  // a negative id, no date, and a name that is a blank
			"deletedrecord": {deleted},
		}[table]...)
		n.showsIf(row["isinactive"] == "T", archived)
		// changed when the run before this one began
		n.showsIf(day != "" && row["entityid"] == "During", tie)
	}
	return rows, nil
}

func (n *netsuite) change(i int, name string) {
	c := n.tables["customer"].rows[i]
	c.modified = n.Now().In(netsuiteZone)
	c.fields["entityid"], c.fields["lastmodified"] = name, c.modified.Format(time.DateTime)
	n.tables["customer"].rows[i] = c
}

func (n *netsuite) nextDay() {
	n.tables["customer"].rows = slices.Delete(n.tables["customer"].rows, 4, 5)
	n.delete("customer", 14, "C4", n.Now().Add(-time.Hour))
	n.change(2, "Changed")
	n.invoice(9000, n.Now().Add(-time.Hour), "99")
	// The cost of a line was computed again, which does not change its transaction.
	costed := &n.tables[netsuiteLines].rows[5]
	costed.modified = n.Now().In(netsuiteZone)
	costed.fields["credit"] = "13.1"
}

func (n *netsuite) expected(day int) tables {
	want := tables{}
	since := time.Time{}
	if day == 2 { // three days before the first run
		since = time.Date(2026, 2, 27, 0, 0, 0, 0, netsuiteZone)
	}
	text := func(v any) string {
		if v == nil {
			return ""
		}
		return v.(string)
	}
	for from, to := range map[string]string{"customer": "customers", "vendor": "vendors", "item": "items", "account": "accounts", "transaction": "transactions", netsuiteLines: "transaction_lines"} {
		for _, r := range n.tables[from].rows {
			if day == 2 && r.modified.Before(since) {
				continue
			}
			f := r.fields
			switch w := (row{"id": text(f["id"]), "lastmodified": text(f["lastmodified"]), "isinactive": text(f["isinactive"])}); to {
			case "customers":
				w["entityid"], w["email"] = text(f["entityid"]), text(f["email"])
				if day == 1 && w["entityid"] == "During" { // its page had been sent
					w["entityid"], w["lastmodified"] = "C5", "2016-01-02 00:05:00"
				}
				want.add(to, w)
			case "vendors":
				w["name"] = text(f["altname"])
				want.add(to, w)
			case "items":
				w["itemid"], w["displayname"] = text(f["itemid"]), text(f["displayname"])
				want.add(to, w)
			case "accounts":
				w["acctnumber"] = text(f["acctnumber"])
				want.add(to, w)
			case "transactions":
				want.add(to, row{"id": w["id"], "status_name": "Invoice : Open", "foreigntotal": text(f["foreigntotal"])})
			case "transaction_lines":
				want.add(to, row{"transaction_id": text(f["transaction"]), "id": w["id"], "netamount": text(f["netamount"]), "debit": text(f["debit"]), "credit": text(f["credit"]), "account": "1", "transaction_lastmodified": text(f["transactionmodified"])})
			}
		}
	}
	want["deleted_records"] = []row{{"type": "customer", "id": "7", "name": "Earlier"}, {"type": "customer", "id": "8", "name": "Recent"}}
	if day == 2 {
		want.add("deleted_records", row{"type": "customer", "id": "14", "name": "C4"})
	}
	return want
}
