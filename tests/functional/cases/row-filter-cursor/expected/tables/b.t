"id","kind"
"1","a"
"5","a"
