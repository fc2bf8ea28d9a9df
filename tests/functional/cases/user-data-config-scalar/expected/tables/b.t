"id","userData"
"1","x"
