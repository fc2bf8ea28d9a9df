package response

import (
	"errors"
	"io"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
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
		d.join(one.page)
		return nil
	})
	if err == nil && d.texts == 0 {
		return io.EOF
	}
	return err
}

// join adds the page of a text to the page of the response, which has several texts if they
// are files of a zip. The items are in the store already. The indicators come from the first
// text. An error of a single text becomes an error of the response: a scalar as the root, or
// several lists that could be the data.
func (d *decodeState) join(one *Page) {
	p := d.page
	structured := p.Root == value.Array || p.Root == value.Object
	if d.texts++; d.texts == 1 {
		p.Root, p.Indicators = one.Root, one.Indicators
	} else if structured && one.Root != value.Array && one.Root != value.Object {
		p.Root = one.Root
	}
	if len(one.Lists) > len(p.Lists) {
		p.Lists = one.Lists
	}
	for _, list := range one.OtherLists {
		if len(p.OtherLists) < surveyLists && !slices.Contains(p.OtherLists, list) {
			p.OtherLists = append(p.OtherLists, list)
		}
	}
	for i := range p.fields {
		if f := &p.fields[i]; f.value.IsNull() && !f.tooLarge {
			*f = one.fields[i]
		}
	}
	if p.errors.IsNull() {
		p.errors = one.errors
	}
	p.Found, p.FromErrors, p.list = p.Found || one.Found, p.FromErrors || one.FromErrors, p.list || one.list
	p.Rows += one.Rows
	p.Volume += one.Volume
	p.ItemsFingerprint = d.itemsHash.Sum64()
}
