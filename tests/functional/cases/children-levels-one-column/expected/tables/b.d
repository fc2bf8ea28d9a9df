"k","parent_id","parent_x"
"g","1","7"
