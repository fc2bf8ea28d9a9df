"n","parent_m"
"1","e1"
