"c","parent_a","parent_b"
"1","1","x"
