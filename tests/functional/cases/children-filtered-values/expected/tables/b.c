"n","parent_o"
"1","92eff9dda44cb8003ee13990782580ff"
