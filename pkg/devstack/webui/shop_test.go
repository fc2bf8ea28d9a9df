package webui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	shopDocument = `{
		"variables_id": "%s",
		"variables_values_id": "defaults",
		"parameters": {
			"api": {
				"baseUrl": "https://shop.example/",
				"authentication": {
					"type": "login",
					"loginRequest": {"endpoint": "login", "method": "POST", "params": {"user": {"attr": "user"}, "password": {"attr": "#password"}}},
					"apiRequest": {"headers": {"Authorization": {"function": "concat", "args": ["Bearer ", {"response": "token"}]}}}
				},
				"pagination": {"method": "offset", "limit": 10}
			},
			"config": {
				"debug": true,
				"outputBucket": "{{bucket}}",
				"user": "demo",
				"#password": "{{secret}}",
				"jobs": [
					{"endpoint": "users", "dataField": "items"},
					{"endpoint": "orders", "dataField": "orders"}
				]
			}
		}
	}`
	stockDocument = `{
		"parameters": {
			"api": {
				"baseUrl": "https://warehouse.example/v2/",
				"http": {"maxRetries": 5, "headers": {"Accept": "application/json"}},
				"pagination": {
					"method": "multiple",
					"scrollers": {
						"by_offset": {"method": "offset", "limit": "ten", "offsetParam": "from"},
						"by_cursor": {"method": "cursor", "idKey": "id", "param": "after"}
					}
				},
				"authentication": {"type": "basic"}
			},
			"config": {
				"username": "warehouse",
				"#password": "open-sesame",
				"outputBucket": "stock",
				"jobs": [
					{"endpoint": "stock", "params": {"warehouse": "brno"}},
					{"endpoint": "stock", "params": {"warehouse": "galway"}},
					{"endpoint": "movements", "dataFeild": "items", "scroller": "by_offset"}
				]
			}
		}
	}`
)

// shop is a platform on which something happened already.
type shop struct {
	orders, stock, variables              store.Configuration
	succeeded, terminated, failed, second store.Job
	running                               store.Job
}

func (p *platform) fill() shop {
	p.Helper()
	var s shop
	s.variables = p.configure(store.Configuration{
		Component: variablesComponent, Name: "Variables of Web shop",
		Configuration: json.RawMessage(`{"variables": [{"name": "bucket", "type": "string"}, {"name": "secret", "type": "string"}, {"name": "since", "type": "date"}]}`),
		Rows: []store.Row{{ID: "defaults", Name: "Defaults", Version: 1,
			Configuration: json.RawMessage(`{"values": [{"name": "bucket", "value": "shop"}, {"name": "secret", "value": "let-me-in"}]}`)}},
	})
	s.orders = p.configure(store.Configuration{
		Component: "acme.ex-shop", Name: "Web shop", Description: "Users and orders, every night.",
		Configuration: json.RawMessage(fmt.Sprintf(shopDocument, s.variables.ID)),
	})
	s.stock = p.configure(store.Configuration{Component: "acme.ex-shop", Name: "Stock levels", Configuration: json.RawMessage(stockDocument)})

	p.clock.Advance(5 * time.Minute)
	s.succeeded = p.run(p.start(s.orders))
	p.clock.Advance(20 * time.Minute)
	s.terminated = p.start(s.stock)
	p.clock.Advance(42 * time.Second)
	p.change(s.terminated.ID, func(j *store.Job) error { j.Kill = true; return j.To(store.Terminating, p.clock.Now()) })
	s.terminated = p.end(s.terminated.ID, store.Terminated, store.Result{Message: "The job was ended on request."})
	p.clock.Advance(3 * time.Minute)
	s.failed = p.fall(p.start(s.stock))
	p.clock.Advance(2 * time.Minute)
	s.second = p.run(p.start(s.orders))
	p.clock.Advance(time.Hour)
	s.running = p.start(s.orders)
	p.begin(s.running.ID)
	p.say(s.running.ID, "debug", "Job orders is running: 2 pages, 8 rows", "event", "job.live", "job", "orders", "jobPointer", "/parameters/config/jobs/1",
		"seconds", "1.06", "pages", "2", "rows", "8", "waiting", "for a response", "waited", "0.2")
	return s
}

func (p *platform) begin(job string) {
	p.Helper()
	p.say(job, "info", "Running component acme.ex-shop (row 1 of 1)")
	p.clock.Advance(80 * time.Millisecond)
	p.say(job, "info", "Extraction started: 2 jobs", "event", "run.started", "jobs", 2)
	p.say(job, "info", "Replaced values for variables: bucket, secret", "event", "variables.replaced")
	p.request(job, "/login", "", 1, 200, 212*time.Millisecond)
	p.say(job, "info", "Logged in by login, valid until 2026-07-01T13:30:00Z", "event", "login.done")
	for i, took := range []int{143, 96, 118, 402} {
		p.request(job, "/users", fmt.Sprintf("limit=10&offset=%d", 10*i), 1, 200, time.Duration(took)*time.Millisecond)
	}
	p.say(job, "info", "Job users finished: 4 pages, 34 rows, the page holds fewer items than requested", "event", "job.finished", "job", "users", "jobPointer", "/parameters/config/jobs/0",
		"pages", "4", "rows", "34", "rule", "the page holds fewer items than requested")
	p.request(job, "/orders", "", 1, 503, 61*time.Millisecond)
	p.say(job, "info", "GET /orders: status 503, retry 1 in 650ms", "event", "request.retried", "method", "GET", "path", "/orders", "retry", 1, "waitSeconds", "0.65",
		"reason", "status 503", "job", "orders", "jobPointer", "/parameters/config/jobs/1")
	p.clock.Advance(650 * time.Millisecond)
	p.request(job, "/orders", "", 2, 200, 187*time.Millisecond)
	p.request(job, "/orders", "after=1004", 1, 200, 154*time.Millisecond)
}

// run lets a job succeed.
func (p *platform) run(j store.Job) store.Job {
	p.Helper()
	p.begin(j.ID)
	p.say(j.ID, "warn", "dataField 'orders' contains no data! (page 3 of orders)", "event", "data.empty")
	p.say(j.ID, "debug", "Job orders finished: 3 pages, 8 rows, the page is empty", "event", "job.finished", "job", "orders", "jobPointer", "/parameters/config/jobs/1",
		"pages", "3", "rows", "8", "rule", "the page is empty")
	p.say(j.ID, "info", "Table shop.users: 34 rows, 5 columns", "event", "table.written")
	p.say(j.ID, "info", "Table shop.orders: 8 rows, 3 columns", "event", "table.written")
	p.say(j.ID, "info", "Extraction finished: 42 rows, 2 tables, 8 requests", "event", "run.finished")
	p.tables(j.ID)
	p.say(j.ID, "success", "Component processing finished.")
	return p.end(j.ID, store.Success, store.Result{
		Message: "Component processing finished.", ConfigVersion: "1",
		Variables: []store.Variable{{Name: "bucket", Value: "shop"}, {Name: "secret", Value: "let-me-in"}},
		Tables:    []string{"in.c-shop.users", "in.c-shop.orders"}, Images: []string{"/usr/local/bin/configurable-extractor"},
		Counted: &store.Counted{Rows: 42, Tables: 2, Requests: 8, Bytes: 54_012},
		Loaded:  []store.Loaded{{Table: "in.c-shop.users", Rows: 34}, {Table: "in.c-shop.orders", Rows: 8}},
	})
}

func (p *platform) tables(job string) {
	p.Helper()
	next := 0
	users := func() ([]string, error) {
		if next == 34 {
			return nil, io.EOF
		}
		next++
		name := []string{"Ada Novak", "Béla Kiss", "Chloé Martin", "Dara O'Brien", "Eva Dvořáková"}[next%5]
		note := ""
		if next%4 == 0 {
			note = `{"segments":["wholesale","newsletter"],"address":{"street":"Krásného 12","city":"Brno","country":"CZ"},"since":"2019-03-02"}`
		}
		return []string{fmt.Sprint(next), name, fmt.Sprintf("user%d@shop.example", next), fmt.Sprintf("%d.%02d", 17*next%230, next%100), note}, nil
	}
	_, err := p.store.Load(context.Background(), store.Load{
		Table: "in.c-shop.users", PrimaryKey: []string{"id"}, Job: job, Next: users,
		Columns: []store.Column{{Name: "id", Type: "INTEGER"}, {Name: "name", Type: "STRING", Nullable: true}, {Name: "email", Type: "STRING", Nullable: true}, {Name: "spent", Type: "NUMERIC", Nullable: true}, {Name: "profile", Nullable: true}},
	})
	p.must(err)
	p.load(store.Load{
		Table: "in.c-shop.orders", PrimaryKey: []string{"id"}, Job: job,
		Columns: []store.Column{{Name: "id", Type: "INTEGER"}, {Name: "user_id", Type: "INTEGER"}, {Name: "state", Type: "STRING", Nullable: true}},
	}, []string{"1001", "3", "paid"}, []string{"1002", "7", "sent"}, []string{"1003", "3", ""}, []string{"1004", "12", "paid"},
		[]string{"1005", "8", "sent"}, []string{"1006", "31", "paid"}, []string{"1007", "2", "new"}, []string{"1008", "19", "new"})
}

// fall lets a job fail by its configuration.
func (p *platform) fall(j store.Job) store.Job {
	p.Helper()
	p.say(j.ID, "info", "Running component acme.ex-shop (row 1 of 1)")
	p.clock.Advance(90 * time.Millisecond)
	const limit, field = "/parameters/api/pagination/scrollers/by_offset/limit", "/parameters/config/jobs/2/dataFeild"
	message := "configuration, 2 problems: " + limit + `: a whole number of at least 1, found "ten" | ` + field + ": unknown key; did you mean dataField?"
	p.say(j.ID, "error", message, "event", "run.failed", "error", message, "kind", "user", "pointer", limit,
		"problems", `[{"pointer":"`+limit+`","found":"\"ten\"","expected":"a whole number of at least 1","hint":"leave it out to take the page size of the API"},`+
			`{"pointer":"`+field+`","expected":"unknown key","hint":"did you mean dataField?"}]`)
	p.clock.Advance(40 * time.Millisecond)
	return p.end(j.ID, store.Error, store.Result{Message: message, ConfigVersion: "1", ErrorType: "user", ExceptionID: "local-7f3a91"})
}
