"id","Tag","arr","None"
"5","T","79119a4862cafeeae411fb8ca6fe16d9",""
