"n","parent_ids_1"
"1","6"
