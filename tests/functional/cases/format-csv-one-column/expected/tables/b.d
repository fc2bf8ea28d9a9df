"note_text"
"a; b"
