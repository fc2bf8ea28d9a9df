"m","parent_replies_pageInfo_endCursor"
"2","c"
