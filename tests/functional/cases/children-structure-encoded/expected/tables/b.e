"n","parent_name"
"1","A/b c+%"
"2","7.50"
