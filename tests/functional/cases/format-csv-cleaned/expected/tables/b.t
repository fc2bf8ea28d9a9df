"a"
"ilina"
