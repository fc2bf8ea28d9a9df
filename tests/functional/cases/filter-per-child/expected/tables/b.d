"n","parent_id","parent_k"
"1","2","y"
