"id","name"
"1","Ann"
"2","Bob"
