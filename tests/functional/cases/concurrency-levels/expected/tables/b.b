"b","parent_a"
"x","1"
