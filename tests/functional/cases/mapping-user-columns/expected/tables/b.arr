"v","Job","Tag","t_pk"
"1","7","T","79119a4862cafeeae411fb8ca6fe16d9"
"2","7","T","79119a4862cafeeae411fb8ca6fe16d9"
