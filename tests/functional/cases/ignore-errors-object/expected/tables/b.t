"error"
"none"
