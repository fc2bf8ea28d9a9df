package request

// Source says where one part of a request comes from. Its JSON is that of a recording.
type Source struct {
	// Part is "address", "method", "query NAME", "body NAME", "header NAME" or
	// "placeholder NAME".
	Part string `json:"part"`
	// From names the source in words.
	From string `json:"from"`
	// Pointer is its place in the document, "" when it is in none.
	Pointer string `json:"pointer,omitempty"`
	// Evaluated is set when an object at that place is an expression.
	Evaluated bool `json:"-"`
}
