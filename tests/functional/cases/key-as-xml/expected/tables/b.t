"currency","value","mid"
"usd","1.1",""
"czk","","24"
"usd","1.2",""
