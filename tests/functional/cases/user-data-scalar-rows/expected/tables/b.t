"data","data_u0","a"
"x","U","1"
"y","U","1"
