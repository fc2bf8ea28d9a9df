package har

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Entries hands over the entries of any HTTP archive in their order, whoever
// wrote it; only one stands in memory at a time. It stops at the first error of
// visit and returns it.
func Entries(r io.Reader, visit func(*Entry) error) error {
	d := json.NewDecoder(r)
	found := false
	err := members(d, func(name string) error {
		if name != "log" {
			return skip(d)
		}
		found = true
		return members(d, func(name string) error {
			if name != "entries" {
				return skip(d)
			}
			return eachEntry(d, visit)
		})
	})
	if err == nil && !found {
		return errors.New("it has no 'log', so it is no HTTP archive")
	}
	return err
}

func eachEntry(d *json.Decoder, visit func(*Entry) error) error {
	if err := opening(d, '['); err != nil {
		return err
	}
	for number := 1; d.More(); number++ {
		var e Entry
		if err := d.Decode(&e); err != nil {
			return fmt.Errorf("entry %d: %w", number, err)
		}
		if err := visit(&e); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}
