"id","price","active","note","mixed","tags","seller_name","seller_since"
"1","9","1","","1","t_750b1064de191bdd5f5c97cd67b9f1dc","Ann","2001"
"2","9.50","","x","1","","Bob",""
"12345678901234567890","1e3","1","","1","t_5abaed9d4d354136867b2a9222ba5e02","",""
