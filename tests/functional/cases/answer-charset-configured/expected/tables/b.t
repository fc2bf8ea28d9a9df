"id"
"Žižkov"
"Šárka"
