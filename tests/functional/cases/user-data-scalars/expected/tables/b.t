"id","userData","job_parent_id"
"1","1","x"
