"k","parent_id","parent_z"
"5","1","zz"
