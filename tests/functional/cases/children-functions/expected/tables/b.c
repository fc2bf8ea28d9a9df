"x","parent_name","parent_o_id"
"1","a b/č&","b637b17af08aced8850c18cccde915da"
