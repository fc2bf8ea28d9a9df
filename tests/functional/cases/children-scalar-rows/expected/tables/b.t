"data"
"a"
"2"
