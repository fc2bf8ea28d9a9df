"id"
"x"
