package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// children fetches all parents, then the one child of each, so many at a time.
// The children are written in the order of their parents.
func children(address string, concurrency int, out string) error {
	// Otherwise most connections would be closed after one request.
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = concurrency
	parents, err := create(out, "parents", "id", "name")
	if err != nil {
		return err
	}
	table, err := create(out, "children", append(append([]string(nil), flatColumns...), "parent_id")...)
	if err != nil {
		return err
	}
	var ids [][]byte
	err = pages(address, 0, func(dec *jsontext.Decoder) error {
		if err := parents.scalars(dec); err != nil {
			return err
		}
		ids = append(ids, bytes.Clone(parents.cells[0]))
		return parents.row()
	})
	if err != nil {
		return err
	}
	items, err := fetchChildren(address, ids, concurrency)
	if err != nil {
		return err
	}
	for i, item := range items {
		if err := table.child(item, ids[i]); err != nil {
			return err
		}
	}
	if err := parents.close(); err != nil {
		return err
	}
	return table.close()
}

// fetchChildren fetches the items of all parents, in their order.
func fetchChildren(address string, ids [][]byte, concurrency int) ([][]byte, error) {
	items, errs := make([][]byte, len(ids)), make([]error, len(ids))
	work := make(chan int)
	var workers sync.WaitGroup
	for range concurrency {
		workers.Go(func() {
			for i := range work {
				items[i], errs[i] = fetchChild(address, ids[i])
			}
		})
	}
	for i := range ids {
		work <- i
	}
	close(work)
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// fetchChild is the text of the one item of a parent.
func fetchChild(address string, id []byte) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	u = u.JoinPath(string(id), "child")
	var item []byte
	err = pages(u.String(), 0, func(dec *jsontext.Decoder) error {
		raw, err := dec.ReadValue()
		item = bytes.Clone(raw)
		return err
	})
	if err == nil && item == nil {
		err = fmt.Errorf("%s: no item", u)
	}
	return item, err
}

// child writes one item and the id of its parent.
func (t *csv) child(item, parent []byte) error {
	if err := t.scalars(jsontext.NewDecoder(bytes.NewReader(item))); err != nil {
		return err
	}
	last := len(t.cells) - 1
	t.cells[last] = append(t.cells[last], parent...)
	return t.row()
}
