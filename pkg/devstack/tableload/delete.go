package tableload

// readDeletes checks the settings that choose rows to delete before a load. It reports
// whether there are any.
func readDeletes(o *object) bool {
	given := false
	o.objects("delete_where", func(where *object) {
		given = true
		since, until := where.text("changed_since"), where.text("changed_until")
		filters := 0
		where.objects("where_filters", func(filter *object) {
			filters++
			filter.requiredText("column")
			filter.oneOf("operator", "eq", "ne")
			_, set := filter.get("values_from_set")
			_, workspace := filter.get("values_from_workspace")
			if set == workspace {
				filter.fail("", "with exactly one of values_from_set and values_from_workspace")
			}
		})
		if since == "" && until == "" && filters == 0 {
			where.fail("", "with changed_since, changed_until or where_filters")
		}
	})
	column := o.text("delete_where_column")
	values := o.texts("delete_where_values")
	o.oneOf("delete_where_operator", "eq", "ne")
	older := column != "" || len(values) > 0
	if given && older && o.err == nil {
		o.err = onlyOne("delete_where_column", "delete_where")
	}
	return given || older
}
