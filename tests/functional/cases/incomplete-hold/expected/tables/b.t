"id"
