"id","tag","tag_u0","n"
"2","x","T","1"
