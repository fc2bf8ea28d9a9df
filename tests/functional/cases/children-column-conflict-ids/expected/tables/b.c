"parent_id","l","o_m","z","parent_id_u0"
"Z","c_8174644752249400e8af34b727fd946e","c.o_377527e15f5b6ce8c9434579b8dfefd9","5","1"
