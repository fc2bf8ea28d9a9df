package apis

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// elasticsearch searches points in time: the index as it was when they were opened.
type elasticsearch struct {
	*world
	documents []document // by time, then by shardDoc
	added     int
	gone      document // was deleted while a run read it
	points    map[string]*pointInTime
}

type document struct {
	id   string
	time time.Time
	// shardDoc is the number of the document in its point in time: that of the shard,
	// then that of the document in it.
	shardDoc int
	source   object
	want     row
}

type pointInTime struct {
	documents []document // of the window that it was opened for
	expires   time.Time
}

func newElasticsearch(w *world) mockServer {
	w.notShown = map[condition]string{
		archived:      "an index has no archived documents; that wildcards leave out closed and hidden indices is on the page",
		forbidden:     "a search has no parent but its point in time, which the same key opens",
		missingParent: "a point in time that has expired has to end the run, because its documents would be missing",
		shortPage:     "a search returns as many documents as requested until there are no more",
		errorIn200:    "allow_partial_search_results=false returns an error instead of a part of the documents",
		expiredToken:  "an API key is no token of a login: it is valid until its own expiration",
	}
	e := &elasticsearch{world: w, points: map[string]*pointInTime{}}
	for i := range 1020 { // ten documents have the same time, also those on both sides of a page's end
		e.add(time.Date(2026, 1, 10, (i+5)/10, 0, 0, 0, time.UTC), "event-"+strconv.Itoa(i))
	}
	for i := range 1000 { // a whole page, and an empty one after it
		e.add(time.Date(2026, 2, 10, 0, i, 0, i, time.UTC), "february-"+strconv.Itoa(i))
	}
	e.add(firstDay.Add(-40*time.Minute), "gone")
	e.add(firstDay.Add(-30*time.Minute), "recent")
	return e
}

// add adds a document. Producers write the same fields in different forms.
func (e *elasticsearch) add(at time.Time, id string) {
	e.added++
	d := document{id: id, time: at, shardDoc: e.added%2<<32 | e.added}
	stamp := at.Format(time.RFC3339Nano)
	d.source = object{"@timestamp": stamp, "message": "This is " + id}
	d.want = row{"index": "your-index-000001", "id": id, "timestamp": stamp, "message": "This is " + id, "level": "", "service": "", "host": ""}
	switch e.added % 4 {
	case 0: // objects in objects
		d.source["log"], d.source["service"] = object{"level": "info"}, object{"name": "shop"}
		d.want["level"], d.want["service"] = "info", "shop"
	case 1: // names with dots
		d.source["log.level"], d.source["service.name"] = "warn", "shop"
		d.want["level"], d.want["service"] = "warn", "shop"
	case 2: // every field may have a list of values
		d.source["log"], d.source["host"] = object{"level": nil}, object{"name": []any{"web-1", "web-2"}}
		d.want["host"] = `["web-1","web-2"]`
	}
	i, _ := slices.BinarySearchFunc(e.documents, d, compareDocuments)
	e.documents = slices.Insert(e.documents, i, d)
}

func compareDocuments(a, b document) int {
	if order := a.time.Compare(b.time); order != 0 {
		return order
	}
	return a.shardDoc - b.shardDoc
}

func (e *elasticsearch) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	e.refuseIf(r.Host != "your-deployment.es.eu-central-1.aws.elastic-cloud.com" ||
		r.Method != http.MethodPost, "no such cluster")
	e.refuseIf(r.Header.Get("Authorization") != "ApiKey your-encoded-api-key", "security_exception")
	switch {
	case r.URL.String() == "/your-index/_pit?keep_alive=5m":
		e.open(rw, r)
	case r.URL.String() == "/_search?allow_partial_search_results=false":
		e.search(rw, r)
	default:
		e.refuse("no such index, or a search that may return a part of the documents")
	}
}

// elasticRange is a query for a span of time.
type elasticRange struct {
	Range map[string]struct {
		GTE, LT time.Time
		Format  string
	}
}

func (q elasticRange) span() (from, to time.Time, ok bool) {
	bounds := q.Range["@timestamp"]
	return bounds.GTE, bounds.LT, len(q.Range) == 1 && !bounds.GTE.IsZero() && !bounds.LT.IsZero() && bounds.Format == "strict_date_optional_time"
}

// open opens a point in time. Its body is an object, if there is one.
func (e *elasticsearch) open(rw http.ResponseWriter, r *http.Request) {
	var body struct {
		Filter elasticRange `json:"index_filter"`
	}
	e.refuseError(strictly(r.Body, &body))
	from, to, ok := body.Filter.span()
	e.refuseIf(!ok, "wrong filter")
	within := without(e.documents, func(d document) bool { return d.time.Before(from) || !d.time.Before(to) })
	id := fmt.Sprintf("46ToAwMDaWR5%d==", len(e.points))
	e.points[id] = &pointInTime{within, e.Now().Add(5 * time.Minute)}
	reply(rw, http.StatusOK, object{"id": id, "_shards": object{"total": 2, "successful": 2, "skipped": 0, "failed": 0}})
}

// elasticSort orders documents of indices with different types of dates, and those with
// the same date.
var elasticSort = []any{
	object{"@timestamp": object{"order": "asc", "format": "strict_date_optional_time_nanos", "numeric_type": "date_nanos"}},
	object{"_shard_doc": "asc"},
}

func (e *elasticsearch) search(rw http.ResponseWriter, r *http.Request) {
	var body struct {
		PIT struct {
			ID        string
			KeepAlive string `json:"keep_alive"`
		}
		Size  int
		Track *bool    `json:"track_total_hits"`
		Field []string `json:"_source"`
		Query elasticRange
		Sort  []any
		After []json.RawMessage `json:"search_after"`
	}
	err := strictly(r.Body, &body)
	from, to, ok := body.Query.span()
	point := e.points[body.PIT.ID]
	e.refuseIf(err != nil || !ok || body.Size < 1 || body.Size > 10_000 || body.Track == nil ||
		*body.Track || len(body.Field) == 0 || !reflect.DeepEqual(body.Sort, elasticSort), "wrong search")
	e.refuseIf(point == nil || e.Now().After(point.expires) || body.PIT.KeepAlive != "5m",
		"search_context_missing_exception")
	last, err := searchAfter(body.After)
	e.refuseIf(err != nil, err)
	point.expires = e.Now().Add(5 * time.Minute)
	e.requests[from.String()]++
	switch first := e.requests[from.String()]; {
	case from.Month() == time.February && first == 1: // no room in the queue of searches
		fail(rw, http.StatusTooManyRequests, object{"error": object{"type": "es_rejected_execution_exception"}, "status": 429})
	case from.Month() == time.February && first == 2: // a shard has no copy for a moment
		fail(rw, http.StatusServiceUnavailable, object{"error": object{"type": "search_phase_execution_exception", "reason": "Search rejected due to missing shards"}, "status": 503})
	case from.Month() == time.March && e.gone.id == "": // the index changes after the point in time was opened
		e.add(firstDay.Add(-5*time.Minute), "while-reading")
		i := slices.IndexFunc(e.documents, func(d document) bool { return d.id == "gone" })
		e.gone = e.documents[i]
		e.documents = slices.Delete(e.documents, i, i+1)
		e.shows(deleted)
	}
	hits := []any{}
	var before document
	for _, d := range point.documents {
		if d.time.Before(from) || !d.time.Before(to) || len(body.After) > 0 && compareDocuments(d, last) <= 0 {
			continue
		}
		if len(hits) == body.Size {
			e.showsIf(d.time.Equal(before.time), tie)
			break
		}
		if _, ok := d.source["service.name"]; !ok && d.source["service"] == nil {
			e.shows(absentKey)
		}
		if _, ok := d.source["host"]; ok {
			e.shows(oddValue)
		}
		hits = append(hits, object{
			"_index": "your-index-000001", "_id": d.id, "_score": nil, "_source": d.source, "sort": []any{d.time.Format(elasticNanos), d.shardDoc},
		})
		before = d
	}
	reply(rw, http.StatusOK, object{
		"pit_id": body.PIT.ID, "took": 5, "timed_out": false, "_shards": object{"total": 2, "successful": 2, "skipped": 0, "failed": 0},
		"hits": object{"max_score": nil, "hits": hits},
	})
}

const elasticNanos = "2006-01-02T15:04:05.000000000Z"

func searchAfter(sort []json.RawMessage) (last document, err error) {
	if len(sort) == 0 {
		return last, nil
	}
	var stamp string
	if len(sort) != 2 || json.Unmarshal(sort[0], &stamp) != nil || json.Unmarshal(sort[1], &last.shardDoc) != nil {
		return last, fmt.Errorf("search_after has another form than sort: %s", sort)
	}
	last.time, err = time.Parse(elasticNanos, stamp)
	return last, err
}

func (e *elasticsearch) nextDay() {
	e.add(firstDay.Add(-20*time.Minute), "late")
	e.add(firstDay.Add(12*time.Hour), "next-day")
}

// expected has what was in the index when the run opened its points in time.
func (e *elasticsearch) expected(day int) tables {
	all := e.documents
	if day == 1 {
		all = append(slices.Clone(all), e.gone)
	}
	want := tables{}
	for _, d := range all {
		switch {
		case day == 1 && d.id == "while-reading":
		case day == 1 || !d.time.Before(firstDay.Add(-time.Hour)):
			want.add("events", d.want)
		}
	}
	return want
}
