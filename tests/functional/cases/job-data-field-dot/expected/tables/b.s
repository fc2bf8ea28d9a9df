"data"
"text"
