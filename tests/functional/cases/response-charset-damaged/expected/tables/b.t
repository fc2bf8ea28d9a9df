"id"
"x�y"
"xy"
"é"
