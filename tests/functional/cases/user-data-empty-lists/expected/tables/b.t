"id","l","e","o"
"1","t_c72faa0b579d537fc67328d10f4c9bbe","",""
