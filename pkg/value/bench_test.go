package value

import (
	"bytes"
	"testing"
)

// BenchmarkPacker packs an item of ten scalars, one of them with escapes.
func BenchmarkPacker(b *testing.B) {
	text := []byte(`{"id":1234567,"name":"John Doe","email":"john.doe@example.com","active":true,"created":"2020-01-01T00:00:00Z",` +
		`"score":12.5,"note":null,"city":"London","visits":77,"tag":"a \"b\" c"}`)
	var p Packer
	var packed []byte
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		packed, _ = p.Append(packed[:0], text)
	}
	if !bytes.Contains(packed, []byte(`a "b" c`)) {
		b.Errorf("packed as %q", packed)
	}
}
