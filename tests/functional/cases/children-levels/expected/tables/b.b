"b","parent_a"
"x","1"
"y","1"
"z","2"
