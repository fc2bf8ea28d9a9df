"id","parent_id"
"1","2"
