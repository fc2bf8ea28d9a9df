"old"
"row"
