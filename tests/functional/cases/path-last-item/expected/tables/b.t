"id"
"a"
"b"
"c"
