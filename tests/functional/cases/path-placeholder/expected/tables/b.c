"k","parent_tags_-1","parent_links_rel_items_id","parent_odata_id"
"1","y","n","o1"
