"name_surname"
"a;b"
