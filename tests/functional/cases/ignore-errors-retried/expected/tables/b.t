"error"
"busy"
