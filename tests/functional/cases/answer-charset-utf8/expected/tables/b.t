"id"
"Plzeň"
"káva"
"žluť"
