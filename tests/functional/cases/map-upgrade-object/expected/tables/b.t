"id","v"
"1","t_2fe7aff747c43f71766f0b696b34b612"
"2","t_b70b8c08ebd4bee2a7b313948d19fd80"
