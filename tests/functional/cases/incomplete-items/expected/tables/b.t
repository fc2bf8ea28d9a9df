"id","has_more","lines_object","lines_data","lines_has_more","notes","replies_nodes","replies_pageInfo_hasNextPage","replies_pageInfo_endCursor"
"1","1","list","t.lines_da1c38d0d82b596dd1750796802eeb7a","","t_63bb3b8461e7285ffe638bf2e6223acd","t.replies_470d3385e260756913bc519aac5c3c11","","c"
"2","1","list","t.lines_05fa664a6e73a6339e89c94b233e2a28","1","t_6ebc02859e190ab899227ac3a4c03f43","t.replies_ddd11407267b8f26122c73a0fa4b8397","1","c"
