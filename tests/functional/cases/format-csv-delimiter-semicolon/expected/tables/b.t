"id_name_price"
"1;a;2"
