"a","b"
"x�y","ok"
