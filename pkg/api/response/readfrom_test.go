package response

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestSpoolReadsAsItIsWritten: what is read from a reader is what the same bytes
// would be when they were written, however they come.
func TestSpoolReadsAsItIsWritten(t *testing.T) {
	const limit = 1000
	for _, text := range []string{"", "a", strings.Repeat("ž", limit/2), strings.Repeat("ž", limit/2) + "b", strings.Repeat("c", 5*limit), "d\xff", strings.Repeat("e", limit-1) + "\xc5"} {
		written := NewSpooler(t.TempDir(), limit).New()
		if _, err := io.WriteString(written, text); err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]io.Reader{
			"at once": strings.NewReader(text), "by halves": iotest.HalfReader(strings.NewReader(text)),
			"by bytes": iotest.OneByteReader(strings.NewReader(text)), "with its end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			read := NewSpooler(t.TempDir(), limit).New()
			n, err := read.ReadFrom(r)
			got, _ := io.ReadAll(read.Raw())
			if err != nil || n != int64(len(text)) || read.Size() != n || string(got) != text || read.HasInvalidUTF8() != written.HasInvalidUTF8() || (read.file == nil) != (written.file == nil) {
				t.Errorf("%d bytes %s: read %d as %d, unclean %v, in a file %v, %v", len(text), name, n, len(got), read.HasInvalidUTF8(), read.file != nil, err)
			}
			if err := read.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := written.Close(); err != nil {
			t.Error(err)
		}
	}
	broken := errors.New("broken")
	s := NewSpooler(t.TempDir(), limit).New()
	if n, err := s.ReadFrom(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken))); n != 3 || !errors.Is(err, broken) || s.Size() != 3 {
		t.Errorf("read %d, %v", n, err)
	}
}
