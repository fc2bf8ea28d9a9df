"n","parent_k","parent_z"
"h","5","zz"
