package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// key is a property with a different value in each item.
type key struct {
	name    string
	numeric bool // true if the property is a whole number in every item
}

// keys returns the properties that may identify an item, best first. Such a property has
// a different value in each item and a name that suggests an identifier.
func (d *configBuilder) keys() []key {
	if d.data.whole || d.data.objects == 0 || d.data.objects < len(d.data.items) {
		return nil
	}
	var found []key
	for _, m := range d.data.items[0].Members() {
		if d.keyRank(m.Name) == 0 {
			continue
		}
		k, seen := key{m.Name, true}, map[string]bool{}
		for _, item := range d.data.items {
			v := item.Field(m.Name)
			if kind := v.Kind(); kind == value.Number || kind == value.String && v.Raw() != "" {
				seen[v.Raw()] = true
			}
			_, whole := wholeNumber(v)
			k.numeric = k.numeric && whole
		}
		if len(seen) == len(d.data.items) {
			found = append(found, k)
		}
	}
	slices.SortStableFunc(found, func(a, b key) int { return d.keyRank(b.name) - d.keyRank(a.name) })
	return found
}

// ownIDs are names of the id of the item itself. The id of another object, such as
// customer_id, may differ in each item of an example without being a key.
var ownIDs = []string{"sysid", "uid", "gid", "uuid", "guid", "pk", "objectid", "recordid", "rowid", "itemid", "entityid", "resourceid", "internalid", "systemid", "globalid", "uniqueid"}

// keyRank returns a rank, from 0 to 4, for how strongly a name suggests a key.
func (d *configBuilder) keyRank(name string) int {
	short := textfmt.Letters(name)
	isID := len(short) > 2 && (strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID"))
	own, _ := lastName(strings.Split(d.url.Path, "/"), genericPath)
	switch {
	case short == "id":
		return 4
	case slices.Contains(ownIDs, short), isID && own != "" && isPlural(own, strings.TrimSuffix(short, "id")):
		return 3
	case slices.Contains([]string{"key", "sku", "code", "number"}, short):
		return 2
	case isID:
		return 1
	}
	return 0
}

// chooseKey adds a mapping if choice names a primary key. Without a mapping, the tables
// have columns for all data, so no data is lost.
func (d *configBuilder) chooseKey(choice string) error {
	d.PrimaryKeys = []Option{{None, "tables get a column for each member of the data; lists become separate tables"}}
	evidence := fmt.Sprintf("different in each of %d items", len(d.data.items))
	if len(d.data.items) == 1 {
		evidence = "a candidate, but the example has only one item"
	}
	names := []string{None}
	for _, k := range d.keys() {
		names = append(names, k.name)
		d.PrimaryKeys = append(d.PrimaryKeys, Option{k.name, evidence + "; a mapping with the columns of the example is written"})
	}
	if choice == "" || choice == None {
		if len(names) > 1 {
			d.note(fmt.Sprintf("'%s' is %s. To make it the primary key, in a mapping, use --primary-key %s.", names[1], evidence, names[1]))
		}
		return nil
	}
	at := slices.Index(names, choice)
	if at < 0 {
		return failure.Userf("'%s' cannot be the primary key: it is missing, empty or not unique in the example, or its name does not suggest it; expected one of %s", choice, strings.Join(names, ", "))
	}
	d.PrimaryKeys = toFront(d.PrimaryKeys, at)
	d.mapping = d.columns(choice)
	d.guess("primary key", failure.PointerJoin(failure.PointerJoin(pointer(config.ConfigSection, config.MappingsSetting), d.Table), choice), d.mapping.Field(choice), likely, "it is "+d.PrimaryKeys[0].Evidence)
	d.note("A mapping writes only its own columns: add the columns that no item of the example has. Lists become JSON text.")
	return nil
}

// columns returns a mapping with a column for each property of the items. Objects become
// columns of their properties, lists become JSON text.
func (d *configBuilder) columns(primary string) value.Value {
	var settings object
	taken := map[string]bool{}
	kinds, _ := kindsByPath(d.data.items)
	var add func(v value.Value, at keyPath)
	add = func(v value.Value, at keyPath) {
		has := kinds[at.id()]
		if has.objects && !has.others() && isNothing(v) {
			return // an object in other items; its members become columns
		}
		if v.Kind() == value.Object && v.Len() > 0 && len(at) < maxDepth && !has.others() {
			for _, m := range v.Members() {
				add(m.Value, append(slices.Clone(at), m.Name))
			}
			return
		}
		path, ok := at.dotted()
		name := columnName(at)
		if !ok || name == "" {
			return
		}
		if v.Kind() == value.Array || v.Kind() == value.Object || has.objects {
			v = value.OfMembers(
				value.Member{Name: mapping.ColumnSetting.Name, Value: one(mapping.ColumnName.Name, value.OfString(name))},
				value.Member{Name: mapping.ForceType.Name, Value: value.OfBool(true)})
		} else {
			v = value.OfString(name)
		}
		if path == primary {
			v = one(mapping.ColumnSetting.Name, value.OfMembers(
				value.Member{Name: mapping.ColumnName.Name, Value: value.OfString(name)},
				value.Member{Name: mapping.PrimaryKey.Name, Value: value.OfBool(true)}))
		}
		known := slices.IndexFunc(settings, func(m value.Member) bool { return m.Name == path })
		switch {
		case known >= 0 && v.Kind() == value.Object && settings[known].Value.Kind() != value.Object:
			settings[known].Value = v // a list or an object here, a scalar in an earlier item
		case known < 0 && !taken[strings.ToLower(name)]:
			taken[strings.ToLower(name)] = true
			settings.set(path, v)
		}
	}
	for _, item := range d.data.items {
		add(item, nil)
	}
	return settings.value()
}

func columnName(at keyPath) string {
	parts := make([]string, len(at))
	for i, name := range at {
		parts[i] = plainName(name)
	}
	return strings.Trim(strings.Join(parts, "_"), "_")
}

// sinceName matches a parameter that limits the response to changes since a time.
var sinceName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(since|_after|After|modified|changed|from_?(date|time)|start_?(date|time)|date_?from|updated)`)
})

// addRemarks adds notes about times and lists in the example.
func (d *configBuilder) addRemarks() {
	for _, m := range d.params {
		if sinceName().MatchString(m.Name) && isTime(m.Value) {
			d.note(fmt.Sprintf("'%s' is fixed at %s. To request only what has changed since the previous run, see the recipe incremental.", m.Name, m.Value.Text()))
		}
	}
	if d.data.whole || d.data.objects == 0 {
		return
	}
	var lists, times []string
	for _, item := range d.data.items {
		for _, m := range item.Members() {
			if m.Value.Kind() == value.Array && !slices.Contains(lists, m.Name) {
				lists = append(lists, m.Name)
			}
			if changeName().MatchString(m.Name) && isTime(m.Value) && !slices.Contains(times, m.Name) {
				times = append(times, m.Name)
			}
		}
	}
	if len(lists) > 0 && d.mapping.Len() == 0 {
		d.note(fmt.Sprintf("The items have lists (%s): each becomes a separate table, %s_%s and so on.", strings.Join(lists, ", "), d.Table, plainName(lists[0])))
	}
	if len(times) > 0 {
		d.note(fmt.Sprintf("The items have the time of their last change (%s). If the API can return only what has changed since a time, see the recipe incremental.", strings.Join(times, ", ")))
	}
}

// changeName matches a property with the time of the last change of an item.
var changeName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(updated|modified|changed|last_?(updated|modified|changed|edited)).*$`)
})

// isTime reports whether a value is a date or a time in one of the usual forms.
func isTime(v value.Value) bool {
	if v.Kind() != value.String {
		return false
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, time.DateTime, "2006-01-02T15:04:05", "2006-01-02T15:04:05-0700"} {
		if _, err := time.Parse(layout, v.Raw()); err == nil {
			return true
		}
	}
	return false
}
