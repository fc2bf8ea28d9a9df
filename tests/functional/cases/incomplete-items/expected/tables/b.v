"id","tags","pageInfo_hasNextPage","threads"
"1","v_ca95dc973d006e6aeef45194257cc37a","1",""
"2","","","v_bda8faf2be3dd043ed8fb0c8a8f3dbb8"
