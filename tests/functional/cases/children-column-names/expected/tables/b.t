"user-info_id","parent_x"
"3","X"
