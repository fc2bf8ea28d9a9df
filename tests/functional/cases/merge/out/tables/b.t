"id","name","old"
"1","a","o"
"2","b","p"
