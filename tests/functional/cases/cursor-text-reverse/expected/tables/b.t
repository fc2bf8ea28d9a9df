"id"
"c"
"d"
"b"
