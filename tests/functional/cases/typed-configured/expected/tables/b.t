"ID","Grosse_cm","is_active","oid_","meta"
"1","1.5","1","x","{""a"":1}"
"2","","","y","[]"
