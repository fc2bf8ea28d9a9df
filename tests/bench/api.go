package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// pageSize is how many items a full page has.
const pageSize = 500

// streamed is how many bytes of the single large response are made at a time.
const streamed = 64 << 10

// api is the measured API. It keeps nothing: what a workload requests is in
// the parameters of each request.
//
//	/flat?pages=200&limit=500&offset=0    a page of flat items
//	/nested?pages=200&limit=500&offset=0  a page of nested items
//	/flat?…&wait=20ms&total=1             the same, with the number of all items
//	/single?bytes=1000                    one list of flat items of that size
//	/single?bytes=1000&format=csv         the same in another format, see formats
//	/parents?count=1000&wait=20ms         all parents
//	/parents/7/child?wait=20ms            the one child of a parent
//	/lists?lists=4000                     items with this many lists of one row
//	/served                               how many bytes of bodies were sent
type api struct {
	served atomic.Int64
}

func (a *api) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /flat", a.pages(appendFlat))
	mux.HandleFunc("GET /nested", a.pages(appendNested))
	mux.HandleFunc("GET /single", a.single)
	mux.HandleFunc("GET /lists", a.lists)
	mux.HandleFunc("GET /parents", a.parents)
	mux.HandleFunc("GET /parents/{id}/child", a.child)
	mux.HandleFunc("GET /served", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, a.served.Load()) })
	return mux
}

// number is a parameter, 0 when it is missing or no number.
func number(r *http.Request, name string) int {
	n, err := strconv.Atoi(r.FormValue(name))
	if err != nil {
		return 0
	}
	return n
}

// pages answers offset paging.
func (a *api) pages(item func([]byte, int) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !wait(r) {
			return
		}
		all := number(r, "pages") * pageSize
		first := min(number(r, "offset"), all)
		end := min(first+number(r, "limit"), all)
		page := itemsPage(item, first, end)
		if r.FormValue("total") != "" {
			page = append(fmt.Appendf(nil, `{"total":%d,`, all), page[1:]...)
		}
		a.send(w, page)
	}
}

// single sends one list, made while it is sent.
func (a *api) single(w http.ResponseWriter, r *http.Request) {
	size := number(r, "bytes")
	f, ok := formats()[r.FormValue("format")]
	if !ok {
		http.Error(w, "no such format", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", f.contentType)
	chunk := make([]byte, 0, streamed+1<<10)
	chunk = append(chunk, f.begin...)
	sent := 0
	for id := 0; sent+len(chunk) < size; id++ {
		if id > 0 {
			chunk = append(chunk, f.between...)
		}
		chunk = f.item(chunk, id)
		if len(chunk) < streamed {
			continue
		}
		if !a.write(w, chunk) {
			return
		}
		sent += len(chunk)
		chunk = chunk[:0]
	}
	a.write(w, append(chunk, f.end...))
}

func (a *api) lists(w http.ResponseWriter, r *http.Request) {
	lists := number(r, "lists")
	a.send(w, itemsPage(func(dst []byte, id int) []byte { return appendLists(dst, id, lists) }, 0, listRows))
}

func (a *api) parents(w http.ResponseWriter, r *http.Request) {
	if wait(r) {
		a.send(w, itemsPage(appendParent, 0, number(r, "count")))
	}
}

func (a *api) child(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		http.Error(w, "no such parent", http.StatusNotFound)
		return
	}
	if wait(r) {
		a.send(w, itemsPage(appendFlat, id, id+1))
	}
}

func appendParent(dst []byte, id int) []byte {
	return fmt.Appendf(dst, `{"id":%d,"name":"Parent %d"}`, id, id)
}

// wait is the latency that a request is for; false when the client is gone.
func wait(r *http.Request) bool {
	latency, err := time.ParseDuration(r.FormValue("wait"))
	if err != nil {
		return true
	}
	select {
	case <-time.After(latency):
		return true
	case <-r.Context().Done():
		return false
	}
}

// send sends a whole body.
func (a *api) send(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	a.write(w, body)
}

// write reports whether the client still listens.
func (a *api) write(w http.ResponseWriter, body []byte) bool {
	n, err := w.Write(body)
	a.served.Add(int64(n))
	return err == nil
}
