"id","parent","arr"
"5","1","a803d092c4ae507654a7e55ec6d72c95"
"5","2","ba5c33ede2395fb298faa0749b826d8c"
