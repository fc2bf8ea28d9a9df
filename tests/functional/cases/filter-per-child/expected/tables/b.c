"k","parent_id"
"x","2"
"y","2"
