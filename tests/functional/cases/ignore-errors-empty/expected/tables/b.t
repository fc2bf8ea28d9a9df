"errorData"
""
