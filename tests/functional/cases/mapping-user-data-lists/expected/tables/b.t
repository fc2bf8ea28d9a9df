"id","first","second","nothing","a"
"5","a","x","","63b4fc6b5403cf9defec83118b763843"
