"id","v"
"1","t_56c75b9c10a0aeb30bb2f7f84a026e35"
