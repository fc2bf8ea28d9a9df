package har

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Entries calls visit for each entry of any HTTP archive, in order. Only one entry is in
// memory at a time. Entries stops at the first error of visit and returns it.
func Entries(r io.Reader, visit func(*Entry) error) error {
	return walk(r, nil, func(e *Entry, _, _ int64) error { return visit(e) })
}

// walk calls visit with the entries and their offsets in the text. If started is not nil,
// walk sets it to the start of the first page.
func walk(r io.Reader, started *time.Time, visit func(e *Entry, from, to int64) error) error {
	d := json.NewDecoder(r)
	found := false
	err := members(d, func(name string) error {
		if name != "log" {
			return skip(d)
		}
		found = true
		return members(d, func(name string) error {
			switch {
			case name == "pages" && started != nil:
				var pages []runPage
				if err := d.Decode(&pages); err != nil {
					return err
				}
				if len(pages) > 0 {
					*started = pages[0].Started
				}
				return nil
			case name == "entries":
				return eachEntry(d, visit)
			default:
				return skip(d)
			}
		})
	})
	if err == nil && !found {
		err = errors.New("it has no 'log', so it is not an HTTP archive")
	}
	return err
}

func eachEntry(d *json.Decoder, visit func(e *Entry, from, to int64) error) error {
	if err := opening(d, '['); err != nil {
		return err
	}
	for number := 1; d.More(); number++ {
		from := d.InputOffset()
		var e Entry
		if err := d.Decode(&e); err != nil {
			return fmt.Errorf("entry %d: %w", number, err)
		}
		if err := visit(&e, from, d.InputOffset()); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// members reads an object. It calls read for each name, and read must consume the value.
func members(d *json.Decoder, read func(name string) error) error {
	if err := opening(d, '{'); err != nil {
		return err
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		if err := read(token.(string)); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func opening(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("expected %s at byte %d, found %v", want, d.InputOffset(), token)
	}
	return nil
}

func skip(d *json.Decoder) error {
	var any json.RawMessage
	return d.Decode(&any)
}
