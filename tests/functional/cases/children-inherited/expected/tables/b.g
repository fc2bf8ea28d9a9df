"n","parent_id","parent_z"
"g","1","zz"
