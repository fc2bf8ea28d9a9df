"x","parent_name","parent_o_id"
"1","a+b%2F%C4%8D%26","b637b17af08aced8850c18cccde915da"
