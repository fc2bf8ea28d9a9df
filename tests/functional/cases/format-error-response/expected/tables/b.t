"error","errorData"
"no a",""
"","x,y
1,2"
