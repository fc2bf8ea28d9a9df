"id","parent_id"
"11","1"
