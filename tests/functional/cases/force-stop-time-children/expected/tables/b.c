"id","parent_id"
"11","1"
"12","2"
