"column_1","column_2"
"1","""a"
"2",""
"3",""
