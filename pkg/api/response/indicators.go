package response

import (
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxGroups is the maximum number of objects around an indicator that do not contain the
// data.
const maxGroups = 3

// beside returns the indicators of the list at a path. They are in an object around the
// list, or below such an object. Totals must be next to the list, or in an object about
// pagination that is next to the list or at the top.
func (v *indicatorScan) beside(list []string) []Indicator {
	if len(list) == 0 {
		return nil // the response is the list
	}
	around := list[:len(list)-1]
	return slices.DeleteFunc(v.found, func(i Indicator) bool { return !v.belongs(i, around) })
}

// belongs reports whether an indicator is about a list. around has the names of the
// objects around the list.
func (v *indicatorScan) belongs(i Indicator, around []string) bool {
	object := i.Path[:len(i.Path)-1]
	shared := 0
	for shared < min(len(around), len(object)) && object[shared] == around[shared] {
		shared++
	}
	groups := object[shared:]
	if n := len(groups); n > 0 && !i.form.grouped && formOf([]byte(groups[n-1])).kind == i.Kind {
		groups = groups[:n-1] // an object `next` or `total`
	}
	ofPaging := !slices.ContainsFunc(groups, func(name string) bool { return !AboutPages([]byte(name)) })
	switch {
	case len(groups) > maxGroups:
		return false
	case i.Kind == TotalRows:
		atTop := shared == 0 && len(around) <= 1 && len(groups) > 0
		return ofPaging && (shared == len(around) || atTop) && !(i.form.weak && v.markOf(object).money)
	case !ofPaging && v.elsewhere(object, shared, len(groups)):
		return false
	case i.form.weak && i.Kind == NextPage:
		return v.leads(i, len(groups), ofPaging)
	default:
		return ofPaging || !i.form.weak
	}
}

// elsewhere reports whether one of the objects around an indicator has its own list or
// repeats the request. The first shared objects also contain the data.
func (v *indicatorScan) elsewhere(object []string, shared, groups int) bool {
	for at := shared; at < shared+groups; at++ {
		if requestObjects[strings.ToLower(object[at])] || v.markOf(object[:at+1]).list {
			return true
		}
	}
	return false
}

// leads reports whether a member with a weak name, such as `next`, leads to a page.
// groups is the number of objects around the indicator that do not contain the data.
// ofPaging is set if all of them are about pagination.
func (v *indicatorScan) leads(i Indicator, groups int, ofPaging bool) bool {
	text := strings.TrimSpace(i.Value.Text())
	around := v.markOf(i.Path[:len(i.Path)-1])
	switch {
	case i.form.text: // +01:00 is the offset of a time
		return groups == 0 && i.Value.Kind() == value.String && strings.Trim(text, "+-:.0123456789") != ""
	case i.form.grouped && groups == 0, isDate(text), strings.ContainsAny(text, " \t\n"):
		return false
	case IsAddress(text):
		return ofPaging || !around.isID
	case i.Value.Kind() == value.Number && around.isID: // an item with a successor
		return false
	default:
		return ofPaging
	}
}

// IsAddress reports whether a text looks like a URL or a part of a URL.
func IsAddress(text string) bool {
	return strings.HasPrefix(text, "/") || strings.Contains(text, "://") || strings.HasPrefix(text, "?")
}

// isDate reports whether a text begins with a date such as 2006-01-02.
func isDate(text string) bool {
	const like = "0000-00-00"
	if len(text) < len(like) {
		return false
	}
	for i := range len(like) {
		digit := '0' <= text[i] && text[i] <= '9'
		if digit != (like[i] == '0') || !digit && text[i] != '-' {
			return false
		}
	}
	return true
}
