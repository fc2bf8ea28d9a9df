"id","lines_data","lines_has_more","replies_nodes","replies_pageInfo_hasNextPage","replies_pageInfo_endCursor"
"1","t.lines_4fb66af0959c731d9321553d482201b1","1","t.replies_999d3549e19f3e018b60f0bc45059d13","1","c"
