"id","name","new"
"3","c",""
"2","B","n"
