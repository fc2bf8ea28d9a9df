package sandbox

import "bytes"

// frameBytes is the maximum size of a message, in bytes. The platform refuses larger
// messages.
const frameBytes = 200 << 10

// frames splits a stream at zero bytes. Like the platform it drops the text after the last
// zero byte.
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
		// Do not show the beginning: it may contain the first half of a secret.
		f.give(invalid("it is longer than 200 KB"))
	} else {
		for _, m := range parseFrame(f.frame) {
			f.give(m)
		}
	}
	f.frame, f.tooLong = f.frame[:0], false
}
