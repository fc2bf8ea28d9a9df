"id","name"
"1","a"
