package main

import (
	stdcsv "encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// get is the body of a response.
func get(address string) (io.ReadCloser, error) {
	res, err := http.Get(address)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		return nil, fmt.Errorf("status %s", res.Status)
	}
	return res.Body, nil
}

// records writes the records of a body in CSV.
func records(address, out string) error {
	body, err := get(address)
	if err != nil {
		return err
	}
	defer body.Close()
	r := stdcsv.NewReader(body)
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return err
	}
	t, err := create(out, "items", append([]string(nil), header...)...)
	if err != nil {
		return err
	}
	for {
		record, err := r.Read()
		if err == io.EOF {
			return t.close()
		}
		if err != nil {
			return err
		}
		for i, field := range record {
			t.cells[i] = append(t.cells[i], field...)
		}
		if err := t.row(); err != nil {
			return err
		}
	}
}

// lines writes the values of a body of JSON lines.
func lines(address, out string) error {
	body, err := get(address)
	if err != nil {
		return err
	}
	defer body.Close()
	t, err := create(out, "items", flatColumns...)
	if err != nil {
		return err
	}
	dec := jsontext.NewDecoder(body, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for dec.PeekKind() == '{' {
		if err := t.item(dec); err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return err
	}
	return t.close()
}

// elements writes the elements of a body in XML.
func elements(address, out string) error {
	body, err := get(address)
	if err != nil {
		return err
	}
	defer body.Close()
	t, err := create(out, "items", flatColumns...)
	if err != nil {
		return err
	}
	dec := xml.NewDecoder(body)
	depth, place, column := 0, 0, 0
	for {
		token, err := dec.RawToken()
		if err == io.EOF {
			return t.close()
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth++; depth == 3 {
				column = t.column(place, []byte(token.Name.Local))
				place++
			}
		case xml.CharData:
			if depth == 3 {
				t.cells[column] = append(t.cells[column], token...)
			}
		case xml.EndElement:
			if depth--; depth == 1 {
				place = 0
				if err := t.row(); err != nil {
					return err
				}
			}
		}
	}
}
