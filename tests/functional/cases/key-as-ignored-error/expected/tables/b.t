"code","message"
"404","none"
