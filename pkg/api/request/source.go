package request

// Source is the source of one part of a request. Its JSON form is part of a recording.
type Source struct {
	// Part is "address", "method", "query NAME", "body NAME", "header NAME" or
	// "placeholder NAME".
	Part string `json:"part"`
	// From names the source in words.
	From string `json:"from"`
	// Pointer is the JSON pointer of the source in the configuration, or "".
	Pointer string `json:"pointer,omitempty"`
	// Evaluated is set if an object at Pointer is an expression.
	Evaluated bool `json:"-"`
}
