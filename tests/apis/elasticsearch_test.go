package apis

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// elasticsearch searches an index that grows while it is read. Facts:
// https://www.elastic.co/guide/en/elasticsearch/reference/current/paginate-search-results.html,
// https://www.elastic.co/guide/en/elasticsearch/reference/current/search-search.html.
type elasticsearch struct {
	*world
	documents []document // by time and id
}

type document struct {
	time time.Time
	id   string
	hit  json.RawMessage
}

func newElasticsearch(w *world) imitation {
	e := &elasticsearch{world: w}
	for i := range 1020 { // ten documents have the same time, so that it does not order them
		e.add(time.Date(2026, 1, 10, i/10, 0, 0, 0, time.UTC), "event-"+strconv.Itoa(i))
	}
	for i := range 1000 { // a whole page, and an empty one after it
		e.add(time.Date(2026, 2, 10, 0, i, 0, 0, time.UTC), "february-"+strconv.Itoa(i))
	}
	e.add(firstDay.Add(-30*time.Minute), "recent")
	return e
}

func (e *elasticsearch) add(at time.Time, id string) {
	d := document{at, id, fmt.Appendf(nil, `{"_index":"your-index-000001","_id":"_%[1]s","_score":null,"sort":[%[2]d,"%[1]s"],"_source":`+
		`{"@timestamp":"%[3]s","message":"This is %[1]s","log":{"level":"info"},"host":{"name":"web"}}}`, id, at.UnixMilli(), at.Format(time.RFC3339))}
	i, _ := slices.BinarySearchFunc(e.documents, d, compareDocuments)
	e.documents = slices.Insert(e.documents, i, d)
}

func compareDocuments(a, b document) int {
	if order := a.time.Compare(b.time); order != 0 {
		return order
	}
	return strings.Compare(a.id, b.id)
}

func (e *elasticsearch) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var body struct {
		Size  int
		Track *bool    `json:"track_total_hits"`
		Field []string `json:"_source"`
		Query struct {
			Range map[string]map[string]time.Time
		}
		Sort  []map[string]string
		After []any `json:"search_after"`
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	span := body.Query.Range["@timestamp"]
	switch {
	case r.Host != "your-deployment.es.eu-central-1.aws.elastic-cloud.com" || r.Method != http.MethodPost || r.URL.String() != "/your-index/_search":
		e.refuse(rw, r, http.StatusNotFound, "no such index")
		return
	case r.Header.Get("Authorization") != "ApiKey your-encoded-api-key":
		e.refuse(rw, r, http.StatusUnauthorized, "wrong key")
		return
	case err != nil || body.Size < 1 || body.Size > 10_000 || body.Track == nil || len(body.Field) == 0 || len(span) != 2,
		!reflect.DeepEqual(body.Sort, []map[string]string{{"@timestamp": "asc"}, {"event.id": "asc"}}),
		body.After != nil && len(body.After) != 2:
		e.refuse(rw, r, http.StatusBadRequest, "wrong search")
		return
	}
	span0, span1 := span["gte"], span["lt"]
	page := span0.String()
	if len(body.After) == 2 {
		page += body.After[1].(string)
	}
	e.requests[page]++
	answer := map[string]any{"took": 5, "timed_out": false, "_shards": map[string]any{"total": 2, "successful": 2, "skipped": 0, "failed": 0}}
	february := span0.Month() == time.February
	switch {
	case february && body.After == nil && e.requests[page] == 1: // no room in the queue of searches
		reply(rw, http.StatusTooManyRequests, map[string]any{"error": map[string]any{"type": "es_rejected_execution_exception"}, "status": 429})
		return
	case february && body.After == nil && e.requests[page] == 2: // half of the index does not answer in time
		answer["timed_out"] = true
	case february && body.After == nil && e.requests[page] == 3: // half of the index fails
		answer["_shards"] = map[string]any{"total": 2, "successful": 1, "skipped": 0, "failed": 1}
	case span0.Month() == time.January && body.After != nil && e.requests["late"] == 0: // a document that comes while the pages are read
		e.requests["late"]++
		e.add(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), "while-reading")
	}
	hits := []any{}
	for _, d := range e.documents {
		if d.time.Before(span0) || !d.time.Before(span1) || e.behind(d, body.After) || len(hits) == body.Size {
			continue
		}
		hits = append(hits, d.hit)
	}
	if answer["timed_out"] == true || answer["_shards"].(map[string]any)["failed"] == 1 {
		partial := []any{} // of the one shard that answers
		for i := 0; i < len(hits); i += 2 {
			partial = append(partial, hits[i])
		}
		hits = partial
	}
	answer["hits"] = map[string]any{"max_score": nil, "hits": hits}
	reply(rw, http.StatusOK, answer)
}

// behind reports whether a document was on an earlier page.
func (e *elasticsearch) behind(d document, after []any) bool {
	if after == nil {
		return false
	}
	last := document{time: time.UnixMilli(int64(after[0].(float64))), id: after[1].(string)}
	return compareDocuments(d, last) <= 0
}

func (e *elasticsearch) nextDay() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.add(firstDay.Add(-20*time.Minute), "late")
	e.add(firstDay.Add(12*time.Hour), "next-day")
}

func (e *elasticsearch) expected(day int) tables {
	want := tables{}
	for _, d := range e.documents {
		if day == 1 || d.time.After(firstDay.Add(-time.Hour)) {
			want["events"] = append(want["events"], row{
				"index": "your-index-000001", "id": "_" + d.id, "timestamp": d.time.Format(time.RFC3339), "message": "This is " + d.id, "level": "info", "service": "", "host": "web",
			})
		}
	}
	return want
}
