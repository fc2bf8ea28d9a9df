"data"
"Žluťoučký
kůň"
