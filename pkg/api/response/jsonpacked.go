package response

import (
	"errors"
	"io"
)

// decodeJSON decodes a response in JSON. A text that is compressed, or in another
// character set than UTF-8, is converted first, because it is read several times.
func decodeJSON(d *decodeState) error {
	direct, err := d.direct()
	if err != nil {
		return err
	}
	if direct {
		d.noteDamage()
		return scanJSON(d)
	}
	empty := true
	err = d.eachText(func(t *textReader) error {
		spool := d.spool.home.New()
		defer spool.Close()
		if _, err := spool.ReadFrom(&t.buffered); err != nil {
			return err
		}
		one := &decodeState{spool: spool, query: d.query, page: newPage(d.query), items: spool.newStore(), text: t}
		one.hash.SetSeed(d.hash.Seed())
		one.itemsHash.SetSeed(d.hash.Seed())
		one.page.items = one.items.all
		if err := scanJSON(one); err == io.EOF {
			return nil
		} else if err != nil {
			if m, ok := errors.AsType[*formatError](err); ok {
				m.file = t.name
			}
			return err
		}
		first := empty
		empty = false
		return d.join(one, first)
	})
	if err == nil && empty {
		return io.EOF
	}
	return err
}

// join adds the items of a text to the items of earlier texts. Fields and errors come
// from the first text that has them, indicators from the first text, and most other
// properties of the page from the last text.
func (d *decodeState) join(one *decodeState, first bool) error {
	for item, err := range one.page.Items() {
		if err != nil {
			return err
		}
		d.items.last = append(d.items.last, item...)
		if err := d.items.spill(); err != nil {
			return err
		}
	}
	add(&d.hash, one.hash.Sum64())
	if one.page.Rows > 0 {
		add(&d.itemsHash, one.page.ItemsFingerprint)
	}
	page, rows, volume := one.page, d.page.Rows, d.page.Volume
	if !first {
		for i := range page.fields {
			if f := d.page.fields[i]; !f.value.IsNull() || f.tooLarge {
				page.fields[i] = f
			}
		}
		if !d.page.errors.IsNull() {
			page.errors = d.page.errors
		}
		page.Indicators, page.Found = d.page.Indicators, page.Found || d.page.Found
	}
	page.items, page.Damaged, page.UnknownCharset = d.page.items, d.page.Damaged, d.page.UnknownCharset
	page.Rows += rows
	page.ItemsFingerprint = d.itemsHash.Sum64()
	page.Volume += volume
	*d.page = *page
	return nil
}
