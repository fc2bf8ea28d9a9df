package example

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// browser is an archive as browsers write it, with many unused members.
const browser = `{"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"},
 "pages": [{"startedDateTime": "2026-01-02T03:04:05.678Z", "id": "page_1", "title": "x", "pageTimings": {"onLoad": 1.5}}],
 "entries": [
  {"_initiator": {"type": "script"}, "_priority": "High", "cache": {"beforeRequest": null}, "connection": "443", "pageref": "page_1",
   "request": {"method": "GET", "url": "https://h/style.css", "httpVersion": "h2", "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
   "response": {"status": 200, "statusText": "", "httpVersion": "h2", "headers": [], "cookies": [], "content": {"size": 5, "mimeType": "text/css", "text": "a { }"}, "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 10, "_error": null},
   "startedDateTime": "2026-01-02T03:04:05.678+01:00", "time": 12.3, "timings": {"blocked": -1, "dns": -1, "ssl": -1, "connect": -1, "send": 0.1, "wait": 5, "receive": 1, "_blocked_queueing": 0.5}},
  {"cache": {}, "request": {"method": "GET", "url": "https://h/orders?page=1", "httpVersion": "h2", "headers": [{"name": ":authority", "value": "h"}, {"name": "x-api-key", "value": "k"}], "queryString": [{"name": "page", "value": "1"}], "cookies": [], "headersSize": -1, "bodySize": 0},
   "response": {"status": 200, "headers": [{"name": "link", "value": "<x>"}], "content": {"size": 5, "mimeType": "application/json", "text": "[{\"id\":1}]"}}, "startedDateTime": "2026-01-02T03:04:05.678Z", "time": 1, "timings": {}},
  {"cache": {}, "request": {"method": "post", "url": "https://h/search", "headers": [{"name": "Content-Type", "value": "application/x-www-form-urlencoded"}], "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a b", "value": "1&2"}]}},
   "response": {"status": 201, "headers": [], "content": {"mimeType": "application/json", "encoding": "base64", "text": "eyJhIjoxfQ=="}}, "startedDateTime": "2026-01-02T03:04:05Z", "time": 1, "timings": {}},
  {"cache": {}, "request": {"method": "GET", "url": "https://h/report", "headers": []}, "response": {"status": 200, "headers": [{"name": "content-type", "value": "text/csv"}], "content": {"mimeType": "text/csv; charset=windows-1250", "text": "a;b"}}, "startedDateTime": "2026-01-02T03:04:05Z", "time": 1, "timings": {}},
  {"cache": {}, "request": {"method": "GET", "url": "https://h/export", "headers": []}, "response": {"status": 200, "headers": [], "content": {"mimeType": "application/gzip", "encoding": "base64", "text": "H4sI"}}, "startedDateTime": "2026-01-02T03:04:05Z", "time": 1, "timings": {}},
  {"cache": {}, "request": {"method": "GET", "url": "https://h/logo", "headers": []}, "response": {"status": 200, "headers": [], "content": {"mimeType": "image/svg+xml", "text": "<svg/>"}}, "startedDateTime": "2026-01-02T03:04:05Z", "time": 1, "timings": {}},
  {"cache": {}, "request": {"method": "GET", "url": "https://h/failed", "headers": []}, "response": {"status": 500, "headers": [], "content": {"text": "{}"}}, "startedDateTime": "2026-01-02T03:04:05Z", "time": 1, "timings": {}},
  {"cache": {}, "request": {"method": "GET", "url": "data:image/png;base64,x", "headers": []}, "response": {"status": 200, "headers": [], "content": {"text": "{}"}}, "startedDateTime": "2026-01-02T03:04:05Z", "time": 1, "timings": {}},
  {"cache": {}, "request": {"method": "GET", "url": "https://h/broken", "headers": []}, "response": {"status": 200, "headers": [], "content": {"encoding": "base64", "text": "%"}}, "startedDateTime": "2026-01-02T03:04:05Z", "time": 1, "timings": {}},
  {"cache": {}, "request": {"method": "GET", "url": "https://h/cut", "headers": []}, "response": {"status": 200, "headers": [], "content": {"_capped": true, "text": "{"}}, "startedDateTime": "2026-01-02T03:04:05Z", "time": 1, "timings": {}}
 ]}}`

func TestEachInHAR(t *testing.T) {
	var got []string
	err := EachInHAR(strings.NewReader(browser), func(x Exchange) error {
		got = append(got, fmt.Sprintf("%s -> %d %v %s", show(x.Request), x.Status, x.ResponseHeader, x.Response))
		return nil
	})
	want := []string{
		"GET https://h/orders?page=1\nX-Api-Key: k -> 200 map[Link:[<x>]] [{\"id\":1}]",
		"POST https://h/search\nContent-Type: application/x-www-form-urlencoded\n\na+b=1%262 -> 201 map[] {\"a\":1}",
		"GET https://h/report -> 200 map[Content-Type:[text/csv; charset=windows-1250]] \ufeffa;b",
		"GET https://h/export -> 200 map[Content-Type:[application/gzip]] \x1f\x8b\x08",
		"GET https://h/failed -> 500 map[] ",
	}
	if err != nil || strings.Join(got, "\n=\n") != strings.Join(want, "\n=\n") {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, strings.Join(got, "\n=\n"), strings.Join(want, "\n=\n"))
	}
}

func TestEachInHARFails(t *testing.T) {
	none := func(Exchange) error { return nil }
	for _, text := range []string{"", "no JSON", "[]", "{}", `{"log":[]}`, `{"log":{"entries":[1]}}`, browser[:len(browser)/2]} {
		if err := EachInHAR(strings.NewReader(text), none); failure.KindOf(err) != failure.User || !strings.HasPrefix(err.Error(), "cannot read the HTTP archive: ") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	enough := errors.New("enough")
	if err := EachInHAR(strings.NewReader(browser), func(Exchange) error { return enough }); err != enough {
		t.Errorf("got %v", err)
	}
}

// FuzzEachInHAR: any text is read completely or is a user error.
func FuzzEachInHAR(f *testing.F) {
	f.Add(browser)
	f.Add(`{"log":{"entries":[{"response":{"status":200,"content":{"text":"[1]"}},"request":{"url":"http://h"}}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		err := EachInHAR(strings.NewReader(text), func(x Exchange) error {
			if len(x.Response) == 0 && x.Status < 400 || x.URL == "" {
				t.Errorf("nothing to learn from: %+v", x)
			}
			return nil
		})
		if err != nil && failure.KindOf(err) != failure.User {
			t.Errorf("not a user error: %v", err)
		}
	})
}
