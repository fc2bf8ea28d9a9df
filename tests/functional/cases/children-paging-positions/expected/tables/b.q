"id","parent_k"
"9","a"
"3","b"
