"id","m"
"1","t_760f10156bf8a2bbac0068d14cb8f7f0"
"2",""
