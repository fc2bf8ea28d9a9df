"id","lines"
"1","{""data"":[1],""has_more"":true}"
