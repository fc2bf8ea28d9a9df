"n","parent_x","u","parent_user-info_id"
"1","X","1","3"
