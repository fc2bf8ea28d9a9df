package sandbox

import "bytes"

// frameBytes is the length of a message from which the platform refuses it.
const frameBytes = 200 << 10

// frames parts a stream into frames, each ended by a zero byte. What follows the
// last zero byte is no frame: a component that does not end its last message
// loses it.
type frames struct {
	frame   []byte
	tooLong bool
	give    func(message)
}

func (f *frames) write(piece []byte) {
	for {
		part, rest, complete := bytes.Cut(piece, []byte{0})
		if len(f.frame)+len(part) > frameBytes {
			f.tooLong = true
			part = part[:frameBytes-len(f.frame)]
		}
		f.frame = append(f.frame, part...)
		if !complete {
			return
		}
		f.end()
		piece = rest
	}
}

func (f *frames) end() {
	if f.tooLong {
		// Its beginning says which message it was. It is not shown: a secret may
		// have been cut in two.
		f.give(invalid("it is longer than 200 KB"))
	} else {
		for _, m := range parseFrame(f.frame) {
			f.give(m)
		}
	}
	f.frame, f.tooLong = f.frame[:0], false
}
