"message"
"no"
