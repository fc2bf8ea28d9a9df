"data"
"5"
