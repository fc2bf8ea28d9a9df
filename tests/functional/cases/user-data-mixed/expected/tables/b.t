"id","userData","a"
"1","x","1"
