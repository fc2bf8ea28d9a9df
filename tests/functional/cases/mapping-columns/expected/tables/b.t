"country","full name","ID","first tag","missing"
"UK","A ""B""","12345678901234567890","x",""
"","","1.50","",""
"","1","","",""
