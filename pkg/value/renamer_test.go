package value_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// upper renames members of one letter to upper case, and adds the number of members above.
func upper(path []byte, names [][]byte) ([][]byte, error) {
	levels := 0
	for len(path) > 0 {
		size, digits := binary.Uvarint(path)
		path = path[digits+int(size):]
		if size == 1 {
			levels++
		}
	}
	renamed := make([][]byte, len(names))
	for i, name := range names {
		if len(name) == 1 {
			renamed[i] = fmt.Appendf(nil, "%s%d", bytes.ToUpper(name), levels)
		}
	}
	return renamed, nil
}

// upperTree does the same with a tree.
func upperTree(v value.Value, levels int) value.Value {
	switch v.Kind() {
	case value.Array:
		items := make([]value.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, upperTree(item, levels))
		}
		return value.OfItems(items...)
	case value.Object:
		members := make([]value.Member, 0, v.Len())
		for _, m := range v.Members() {
			below := levels
			if len(m.Name) == 1 {
				below++
			}
			m.Value = upperTree(m.Value, below)
			if len(m.Name) == 1 {
				m.Name = strings.ToUpper(m.Name) + fmt.Sprint(levels)
			}
			members = append(members, m)
		}
		return value.OfMembers(members...)
	default:
		return v
	}
}

// randomTree returns a value with names of one letter and longer ones, in any order.
func randomTree(r *rand.Rand, depth int) value.Value {
	switch k := r.IntN(6); {
	case depth > 0 && k < 3:
		var members []value.Member
		for _, c := range r.Perm(7)[:r.IntN(7)] {
			name := string(rune('a' + c))
			if c%2 == 0 {
				name = strings.Repeat(name, 2+r.IntN(200))
			}
			members = append(members, value.Member{Name: name, Value: randomTree(r, depth-1)})
		}
		return value.OfMembers(members...)
	case depth > 0 && k == 3:
		var items []value.Value
		for range r.IntN(4) {
			items = append(items, randomTree(r, depth-1))
		}
		return value.OfItems(items...)
	case k == 4:
		return value.Value{}
	default:
		return value.OfString(strings.Repeat("x", r.IntN(300)))
	}
}

// TestRenamer: values of any shape, one after another, are renamed as their trees.
func TestRenamer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	renamer := &value.Renamer{Decide: upper}
	var packed []byte
	for range 3000 {
		v := randomTree(r, 4)
		var err error
		if packed, err = renamer.Append(packed[:0], v.AppendPacked(nil)); err != nil {
			t.Fatal(err)
		}
		if got, want := value.Packed(packed).Value().JSON(), upperTree(v, 0).JSON(); got != want {
			t.Fatalf("%s\nwant\n%s", got, want)
		}
	}
}

// BenchmarkRenamer: items as in a CRM; a third of their members get names.
func BenchmarkRenamer(b *testing.B) {
	var members []value.Member
	for i := range 30 {
		name := fmt.Sprintf("member_%d", i)
		if i%3 == 0 {
			name = fmt.Sprintf("%040x", i)
		}
		members = append(members, value.Member{Name: name, Value: value.OfString("some text")})
	}
	members = append(members, value.Member{Name: "owner", Value: value.OfMembers(members[:5]...)})
	item := value.OfMembers(members...).AppendPacked(nil)
	renamer := &value.Renamer{Decide: func(_ []byte, names [][]byte) ([][]byte, error) {
		renamed := make([][]byte, len(names))
		for i, name := range names {
			if len(name) == 40 {
				renamed[i] = []byte("Name of the field")
			}
		}
		return renamed, nil
	}}
	var buffer []byte
	b.SetBytes(int64(len(item)))
	b.ReportAllocs()
	for b.Loop() {
		buffer, _ = renamer.Append(buffer[:0], item)
	}
}
