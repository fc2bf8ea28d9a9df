package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// pages fetches one page after another until one is not full; item reads one
// item.
func pages(address string, limit int, item func(*jsontext.Decoder) error) error {
	dec := new(jsontext.Decoder)
	for offset := 0; ; offset += limit {
		page := address
		if limit > 0 {
			page += "&limit=" + strconv.Itoa(limit) + "&offset=" + strconv.Itoa(offset)
		}
		n, err := fetch(dec, page, item)
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if limit == 0 || n < limit {
			return nil
		}
	}
}

// fetch reads the items of one body and says how many there were.
func fetch(dec *jsontext.Decoder, address string, item func(*jsontext.Decoder) error) (int, error) {
	res, err := http.Get(address)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %s", res.Status)
	}
	dec.Reset(res.Body, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	n := 0
	for {
		switch dec.PeekKind() {
		case '[':
			if n, err = items(dec, item); err != nil {
				return 0, err
			}
		default: // the object around the list, its name, or the end
			if _, err := dec.ReadToken(); err == io.EOF {
				return n, nil
			} else if err != nil {
				return 0, err
			}
		}
	}
}

// items reads a list.
func items(dec *jsontext.Decoder, item func(*jsontext.Decoder) error) (int, error) {
	if _, err := dec.ReadToken(); err != nil {
		return 0, err
	}
	n := 0
	for ; dec.PeekKind() == '{'; n++ {
		if err := item(dec); err != nil {
			return 0, err
		}
	}
	_, err := dec.ReadToken()
	return n, err
}

// members reads an object: each name, without its quotes, is valid until member
// reads on.
func members(dec *jsontext.Decoder, member func(place int, name []byte) error) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for i := 0; dec.PeekKind() == '"'; i++ {
		name, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if err := member(i, name[1:len(name)-1]); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}
