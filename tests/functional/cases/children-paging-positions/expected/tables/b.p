"id","parent_k"
"1","a"
"2","b"
