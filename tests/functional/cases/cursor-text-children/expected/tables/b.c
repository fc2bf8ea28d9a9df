"id","parent_id"
"x1","x"
"x2","x"
