"data","parent"
"x","a"
"y","2"
"3","2"
