"id","name"
