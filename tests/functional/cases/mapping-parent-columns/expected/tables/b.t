"user-info_id"
"1"
"2"
