"id","job_parent_id"
"1","7"
