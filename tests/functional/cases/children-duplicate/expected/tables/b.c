"n","parent_id"
"c","1"
"b","1"
