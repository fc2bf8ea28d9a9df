"id","v"
"1","t_21cbdeeebd11eaa0dc4de7f80fd26ddf"
"2",""
"3",""
