"column_1"
"red; green"
"blue"
