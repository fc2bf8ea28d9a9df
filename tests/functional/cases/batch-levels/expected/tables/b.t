"id","region"
"A","eu"
"B","us"
