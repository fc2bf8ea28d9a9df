"id_name"
"1;a"
"2;b"
