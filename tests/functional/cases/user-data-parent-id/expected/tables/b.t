"id","l"
"1","t_4be60a902f0ddc4e4de837d5fed43f52"
