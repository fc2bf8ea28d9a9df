"d","parent_a","parent_b","parent_c"
"1","1","x","1"
