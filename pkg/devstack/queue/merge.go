package queue

import "github.com/keboola/configurable-extractor/pkg/value"

// RowDocument returns the configuration that a job runs for a row: the row merged over its
// configuration. Objects are merged by name and arrays by index. Any other value of the row
// replaces the value of the configuration. As on the platform, an empty array equals an
// empty object.
func RowDocument(base, over value.Value) value.Value {
	switch {
	case isEmpty(over) && isComposite(base):
		return base
	case base.Kind() == value.Object && over.Kind() == value.Object:
		merged := base
		for _, m := range over.Members() {
			if below, found := base.Get(m.Name); found {
				m.Value = RowDocument(below, m.Value)
			}
			merged = merged.With(m.Name, m.Value)
		}
		return merged
	case base.Kind() == value.Array && over.Kind() == value.Array:
		var merged []value.Value
		below, above := base.Items(), over.Items()
		for i := range max(len(below), len(above)) {
			switch {
			case i >= len(above):
				merged = append(merged, below[i])
			case i >= len(below):
				merged = append(merged, above[i])
			default:
				merged = append(merged, RowDocument(below[i], above[i]))
			}
		}
		return value.OfItems(merged...)
	default:
		return over
	}
}

func isComposite(v value.Value) bool { return v.Kind() == value.Object || v.Kind() == value.Array }

func isEmpty(v value.Value) bool { return isComposite(v) && v.Len() == 0 }
