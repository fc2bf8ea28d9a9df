"id","m"
"1","t_a3ab31f31a0874716fcecab48ce03867"
