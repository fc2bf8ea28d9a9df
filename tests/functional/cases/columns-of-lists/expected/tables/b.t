"date","country","sessions"
"20260101","CZ","3"
"20260102","","5"
