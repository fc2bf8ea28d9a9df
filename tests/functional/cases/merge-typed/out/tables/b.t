"id","name","new"
"1","1","x"
