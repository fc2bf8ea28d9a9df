"n","job_parent_id","parent_id"
"2","x","1"
