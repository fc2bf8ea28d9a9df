"id","ids"
"1","t_20cb03c04eb4ee9b6276fb1a427aeca5"
"2","t_1e577893117e1dfb1040230dfadbcd18"
