"p","parent_id","parent_o"
"1","A","x"
"2","B","y"
