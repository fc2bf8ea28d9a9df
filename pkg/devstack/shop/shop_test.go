package shop

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// response is what the shop said to one request.
type response struct {
	status int
	header http.Header
	body   string
}

func ask(t *testing.T, shop http.Handler, method, target, token, body string) response {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	shop.ServeHTTP(w, r)
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("%s %s: content type %q", method, target, got)
	}
	return response{w.Code, w.Header(), strings.TrimSuffix(string(text), "\n")}
}

const goodLogin = `{"user":"demo","password":"let-me-in"}`

func logIn(t *testing.T, shop http.Handler) string {
	t.Helper()
	var got struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(ask(t, shop, "POST", "/login", "", goodLogin).body), &got); err != nil || got.Token == "" {
		t.Fatalf("no token: %v", err)
	}
	return got.Token
}

func TestShopResponds(t *testing.T) {
	const user1 = `{"id":1,"name":"Alice Nováková","email":"user01@example.com","city":"Brno","newsletter":true,"phone":"+420 555 100"}`
	const user2 = `{"id":2,"name":"Bruno O'Brien","email":"user02@example.com","city":"Praha","newsletter":false,"phone":null}`
	const user23 = `{"id":23,"name":"Chloé O'Brien","email":"user23@example.com","city":"Galway","newsletter":false,"phone":"+420 555 122"}`
	const order1010 = `{"id":1010,"payment_id":9007199254749993044,"created_at":"2026-03-13T23:15:00Z",` +
		`"customer":{"id":5,"name":"Emil Weiß","address":{"city":"Brno","country":"CZ"}},"total":66.10,` +
		`"lines":[{"sku":"CAP-05","quantity":2,"price":33.05}],"tags":["gift"],"note":null}`
	const brno = `[{"warehouse":"brno","sku":"MUG-01","quantity":0,"due":"2026-04-01"},{"warehouse":"brno","sku":"TEE-07","quantity":37,"due":null},` +
		`{"warehouse":"brno","sku":"PEN-03","quantity":74,"due":null},{"warehouse":"brno","sku":"BAG-12","quantity":21,"due":null},` +
		`{"warehouse":"brno","sku":"CAP-05","quantity":58,"due":null}]`
	rows := []struct {
		name, method, target, body string
		noToken                    bool
		status                     int
		want                       string
	}{
		{name: "index", method: "GET", target: "/", noToken: true, status: 200,
			want: `{"endpoints":["GET /products","POST /login","GET /users?limit=&offset=","GET /orders?after=","GET /stock?warehouse=","GET /tickets?since=&until="],"login":{"password":"let-me-in","user":"demo"},"name":"Sample web shop"}`},
		{name: "products need no token", method: "GET", target: "/products", noToken: true, status: 200,
			want: `[{"sku":"MUG-01","name":"Mug, large","price":19.90},{"sku":"TEE-07","name":"T-shirt","price":45.00},` +
				`{"sku":"PEN-03","name":"Pen","price":2.50},{"sku":"BAG-12","name":"Travelling bag","price":1299.00},` +
				`{"sku":"CAP-05","name":"Cap \"Sunny\"","price":33.05}]`},
		{name: "login", method: "POST", target: "/login", body: goodLogin, noToken: true, status: 200,
			want: `{"token":"shop-token-0002","token_type":"Bearer","expires_in":300}`},
		{name: "login with a wrong password", method: "POST", target: "/login", body: `{"user":"demo","password":"x"}`, noToken: true, status: 401,
			want: `{"error":"unknown user or wrong password"}`},
		{name: "login with a wrong user", method: "POST", target: "/login", body: `{"user":"x","password":"let-me-in"}`, noToken: true, status: 401,
			want: `{"error":"unknown user or wrong password"}`},
		{name: "login without JSON", method: "POST", target: "/login", body: "user=demo", noToken: true, status: 400,
			want: `{"error":"the body must be JSON like {\"user\": \"…\", \"password\": \"…\"}"}`},
		{name: "login by GET", method: "GET", target: "/login", noToken: true, status: 405,
			want: `{"error":"/login wants POST"}`},
		{name: "unknown path", method: "GET", target: "/nope", noToken: true, status: 404,
			want: `{"error":"there is nothing at /nope"}`},
		{name: "users without a token", method: "GET", target: "/users", noToken: true, status: 401,
			want: `{"error":"log in by POST /login and send its token as Authorization: Bearer TOKEN"}`},
		{name: "users, first two", method: "GET", target: "/users?limit=2", status: 200,
			want: `{"items":[` + user1 + `,` + user2 + `],"limit":2,"offset":0,"total":23}`},
		{name: "users, last page is short", method: "GET", target: "/users?limit=10&offset=22", status: 200,
			want: `{"items":[` + user23 + `],"limit":10,"offset":22,"total":23}`},
		{name: "users, after the end", method: "GET", target: "/users?offset=50", status: 200,
			want: `{"items":[],"limit":10,"offset":50,"total":23}`},
		{name: "users, limit too small", method: "GET", target: "/users?limit=0", status: 400,
			want: `{"error":"limit must be from 1 to 100"}`},
		{name: "users, limit too large", method: "GET", target: "/users?limit=101", status: 400,
			want: `{"error":"limit must be from 1 to 100"}`},
		{name: "users, offset is not a number", method: "GET", target: "/users?offset=two", status: 400,
			want: `{"error":"offset must be a whole number of 0 or more"}`},
		{name: "users, negative offset", method: "GET", target: "/users?offset=-1", status: 400,
			want: `{"error":"offset must be a whole number of 0 or more"}`},
		{name: "orders, last page is short", method: "GET", target: "/orders?after=1009", status: 200,
			want: `{"orders":[` + order1010 + `]}`},
		{name: "orders, after the end", method: "GET", target: "/orders?after=1010", status: 200,
			want: `{"orders":[]}`},
		{name: "orders, cursor is not a number", method: "GET", target: "/orders?after=x", status: 400,
			want: `{"error":"after must be a whole number of 0 or more"}`},
		{name: "stock of one warehouse", method: "GET", target: "/stock?warehouse=brno", status: 200, want: brno},
		{name: "stock of an unknown warehouse", method: "GET", target: "/stock?warehouse=mars", status: 200, want: `[]`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			shop := New(Options{})
			token := logIn(t, shop)
			if row.noToken {
				token = ""
			}
			got := ask(t, shop, row.method, row.target, token, row.body)
			if got.status != row.status || got.body != row.want {
				t.Errorf("got %d %s\nwant %d %s", got.status, got.body, row.status, row.want)
			}
		})
	}
}

// TestTickets: every minute a new one comes, and one is solved.
func TestTickets(t *testing.T) {
	opened := time.Date(2026, time.May, 4, 10, 0, 0, 5, time.UTC)
	now := opened
	shop := New(Options{Now: func() time.Time { return now }})
	solved := func(id, minute int) string {
		return fmt.Sprintf(`{"id":%d,"subject":"Where is order %d?","status":"solved","updated_at":"2026-05-04T10:%02d:00Z"}`, id, 1000+id, minute)
	}
	open := func(id, minute int) string {
		return strings.Replace(solved(id, minute), "solved", "open", 1)
	}
	second := strings.Replace(open(2, 0), "T10:00", "T09:59", 1)
	for _, row := range []struct {
		after  time.Duration
		query  string
		status int
		want   string
	}{
		{0, "", 200, "[" + second + "," + solved(1, 0) + "," + open(3, 0) + "]"},
		{0, "?since=1777888800", 200, "[" + solved(1, 0) + "," + open(3, 0) + "]"},
		{0, "?until=2026-05-04T12:00:00%2B02:00", 200, "[" + second + "]"},
		{59 * time.Second, "?since=2026-05-04T10:00:01Z", 200, "[]"},
		{61 * time.Second, "?since=2026-05-04T10:00:01Z", 200, "[" + solved(2, 1) + "," + open(4, 1) + "]"},
		{3 * time.Minute, "?since=2026-05-04T10:02:00Z&until=2026-05-04T10:03:00Z", 200, "[" + solved(3, 2) + "," + open(5, 2) + "]"},
		{0, "?since=yesterday", 400, `{"error":"since must be a Unix time or a date such as 2026-05-04T10:00:00Z"}`},
		{0, "?until=x", 400, `{"error":"until must be a Unix time or a date such as 2026-05-04T10:00:00Z"}`},
		{-time.Hour, "?since=2026-05-04T10:00:00Z", 200, "[" + open(3, 0) + "]"},
	} {
		now = opened.Add(row.after)
		if got := ask(t, shop, "GET", "/tickets"+row.query, "", ""); got.status != row.status || got.body != row.want {
			t.Errorf("%s after %s: got %d %s\nwant %d %s", row.query, row.after, got.status, got.body, row.status, row.want)
		}
	}
}

func TestShopTokens(t *testing.T) {
	now := time.Date(2026, time.May, 4, 10, 0, 0, 0, time.UTC)
	shop := New(Options{Now: func() time.Time { return now }})
	first := logIn(t, shop)
	steps := []struct {
		name  string
		at    time.Duration
		token string
		want  int
	}{
		{"fresh", 0, first, 200},
		{"unknown", 0, "shop-token-9999", 401},
		{"last moment", 5*time.Minute - 1, first, 200},
		{"expired", 5 * time.Minute, first, 401},
	}
	for _, step := range steps {
		now = time.Date(2026, time.May, 4, 10, 0, 0, 0, time.UTC).Add(step.at)
		got := ask(t, shop, "GET", "/users", step.token, "")
		if got.status != step.want {
			t.Errorf("%s: status %d, want %d", step.name, got.status, step.want)
		}
		if want := `Bearer error="invalid_token"`; got.status == 401 && got.header.Get("WWW-Authenticate") != want {
			t.Errorf("%s: WWW-Authenticate %q, want %q", step.name, got.header.Get("WWW-Authenticate"), want)
		}
	}
	second := logIn(t, shop)
	if second != "shop-token-0002" {
		t.Errorf("second token %q", second)
	}
	if got := ask(t, shop, "GET", "/users", second, ""); got.status != 200 {
		t.Errorf("second token: status %d", got.status)
	}
	if got := ask(t, shop, "GET", "/users", first, ""); got.status != 401 {
		t.Errorf("first token came back to life: status %d", got.status)
	}
}

func TestShopBasicAuthentication(t *testing.T) {
	shop := New(Options{})
	for password, want := range map[string]int{Password: 200, "wrong": 401, "": 401} {
		r := httptest.NewRequest("GET", "/users", nil)
		r.SetBasicAuth(User, password)
		w := httptest.NewRecorder()
		shop.ServeHTTP(w, r)
		if w.Code != want || want == 401 && w.Header().Get("WWW-Authenticate") != "Basic" {
			t.Errorf("password %q: status %d %v, want %d", password, w.Code, w.Header(), want)
		}
	}
}

func TestShopIsBusySometimes(t *testing.T) {
	rows := []struct {
		name  string
		every int
		want  []int
	}{
		{"every third by default", 0, []int{200, 200, 429, 200, 200, 429}},
		{"every second", 2, []int{200, 429, 200, 429}},
		{"always", 1, []int{429, 429}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			shop := New(Options{BusyEvery: row.every})
			token := logIn(t, shop)
			for i, want := range row.want {
				got := ask(t, shop, "GET", "/stock", token, "")
				if got.status != want {
					t.Errorf("request %d: status %d, want %d", i+1, got.status, want)
				}
				if after := got.header.Get("Retry-After"); (after == "1") != (want == 429) {
					t.Errorf("request %d: Retry-After %q", i+1, after)
				}
			}
		})
	}
}

// TestShopPaging walks both pagings to their end as a client does.
func TestShopPaging(t *testing.T) {
	shop := New(Options{})
	token := logIn(t, shop)
	t.Run("users by offset", func(t *testing.T) {
		var sizes []int
		for offset := 0; ; offset += 10 {
			var page struct{ Items []json.RawMessage }
			body := ask(t, shop, "GET", fmt.Sprintf("/users?limit=10&offset=%d", offset), token, "").body
			if err := json.Unmarshal([]byte(body), &page); err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(page.Items))
			if len(page.Items) < 10 {
				break
			}
		}
		if want := []int{10, 10, 3}; !slices.Equal(sizes, want) {
			t.Errorf("pages of %v, want %v", sizes, want)
		}
	})
	t.Run("orders by cursor", func(t *testing.T) {
		var sizes []int
		for after := 0; ; {
			var page struct{ Orders []struct{ ID int } }
			body := ask(t, shop, "GET", fmt.Sprintf("/orders?after=%d", after), token, "").body
			if err := json.Unmarshal([]byte(body), &page); err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(page.Orders))
			if len(page.Orders) == 0 {
				break
			}
			after = page.Orders[len(page.Orders)-1].ID
		}
		if want := []int{4, 4, 2, 0}; !slices.Equal(sizes, want) {
			t.Errorf("pages of %v, want %v", sizes, want)
		}
	})
}

// TestShopData pins the shapes that the shop is there to show.
func TestShopData(t *testing.T) {
	shop := New(Options{})
	body := ask(t, shop, "GET", "/orders", logIn(t, shop), "").body
	for _, part := range []string{
		`"payment_id":9007199254740993017`, `"total":19.90`, `"tags":[]`, `"tags":["new customer","express"]`,
		`"note":null`, `"note":"Leave it at the \"back\" door, please"`, `"address":{"city":`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s in %s", part, body)
		}
	}
	if again := ask(t, New(Options{}), "GET", "/orders", logIn(t, shop), "").status; again != 401 {
		t.Errorf("a token of one shop opened another: status %d", again)
	}
}
