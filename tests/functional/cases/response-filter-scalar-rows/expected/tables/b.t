"data"
"1"
"x"
