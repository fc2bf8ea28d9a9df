"name","o_id"
"a b/č&","1"
