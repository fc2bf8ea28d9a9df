package blocks

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// written returns blocks with these contents.
func written(t *testing.T, all ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := Writer{To: func(p []byte) error { _, err := out.Write(p); return err }}
	var buf []byte
	for _, contents := range all {
		var err error
		if buf, err = w.Add(append(buf, contents...)); err != nil {
			t.Fatal(err)
		}
		if len(buf) > 0 {
			t.Fatalf("the spare buffer holds %d bytes", len(buf))
		}
	}
	return out.Bytes()
}

func TestBlocksComeBack(t *testing.T) {
	noise := make([]byte, Size)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	large := strings.Repeat("large ", Large/6+1)
	tests := map[string][]string{
		"none":             nil,
		"one":              {"a"},
		"many":             {strings.Repeat("a", Size), "b", string(noise), strings.Repeat("cd", Size), "e"},
		"large ones":       {large, "a", large + "b", large + "c", "d"},
		"an empty one":     {"a", "", "b"},
		"small after many": slices.Repeat([]string{"x"}, 1000),
	}
	for name, all := range tests {
		r := NewReader(bytes.NewReader(written(t, all...)))
		for i, want := range all {
			if got, err := r.Next(); err != nil || string(got) != want {
				t.Fatalf("%s: block %d: %d bytes, %v, want %d", name, i, len(got), err, len(want))
			}
		}
		for range 2 {
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("%s: at the end: %v", name, err)
			}
		}
	}
}

func TestReaderMayStopAnywhere(t *testing.T) {
	blocks := written(t, "a", "b", "c")
	for n := range 3 {
		r := NewReader(bytes.NewReader(blocks))
		for range n {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for cut := 1; cut < len(blocks)-1; cut++ {
		r := NewReader(bytes.NewReader(blocks[:len(blocks)-cut]))
		var err error
		for err == nil {
			_, err = r.Next()
		}
		if whole := (len(blocks)-cut)%(len(blocks)/3) == 0; whole != (err == io.EOF) {
			t.Errorf("%d bytes too few: %v", cut, err)
		}
	}
}

func TestPartsAreOneBlock(t *testing.T) {
	var out bytes.Buffer
	w := Writer{To: func(p []byte) error { _, err := out.Write(p); return err }}
	if err := w.AddPlain([]byte("a"), nil, []byte("bc")); err != nil {
		t.Fatal(err)
	}
	r := NewReader(&out)
	if got, err := r.Next(); err != nil || string(got) != "abc" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestDamageIsNoticed(t *testing.T) {
	blocks := written(t, "a", strings.Repeat("b", 100))
	for at := range blocks {
		damaged := bytes.Clone(blocks)
		damaged[at] ^= 1
		r := NewReader(bytes.NewReader(damaged))
		var err error
		for err == nil {
			_, err = r.Next()
		}
		if err == io.EOF {
			t.Errorf("byte %d is not missed", at)
		}
	}
}

func TestErrorsOfWriting(t *testing.T) {
	failed := errors.New("no room")
	w := Writer{To: func([]byte) error { return failed }}
	for name, contents := range map[string][]byte{"small": []byte("a"), "large": make([]byte, Large+1)} {
		if _, err := w.Add(contents); err != failed {
			t.Errorf("a %s block: %v", name, err)
		}
	}
}
