"id","parent_x"
"1","7"
