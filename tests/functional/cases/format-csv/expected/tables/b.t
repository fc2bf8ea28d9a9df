"id","name","note"
"1","Ann","a, ""b""
c"
"2","Bob",""
