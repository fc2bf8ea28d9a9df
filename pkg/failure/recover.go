package failure

import (
	"fmt"
	"runtime"
	"strings"
)

// Recover calls f and converts a panic into an application error that names the function.
func Recover(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Applicationf("internal error: %v (%s)", p, panicPlace())
		}
	}()
	return f()
}

// panicPlace returns the function and line that panicked: the first frame below the
// runtime.
func panicPlace() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") || !more {
			return fmt.Sprintf("%s:%d", frame.Function, frame.Line)
		}
	}
}
