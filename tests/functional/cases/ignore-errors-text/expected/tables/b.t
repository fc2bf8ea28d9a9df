"errorData"
"<h1>Not ""found""</h1>"
