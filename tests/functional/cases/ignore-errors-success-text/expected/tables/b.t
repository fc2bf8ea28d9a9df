"errorData"
"pong"
