"id","m"
"1","t_4422919ff688b904e8dff682efdee2d6"
