package secret

import (
	"fmt"
	"strings"
	"testing"
)

// ordinarySecrets are those of a run with a login and signed requests.
func ordinarySecrets() *Registry {
	s := &Registry{}
	for i := range 5 {
		s.Add(fmt.Sprintf("configured+secret/%d==", i))
	}
	for i := range 50 {
		s.AddToken(fmt.Sprintf("eyJhbGciOiJIUzI1NiJ9.%d.c2lnbmF0dXJl", i))
		s.AddTemporary(fmt.Sprintf("signature %d of a request", i))
	}
	return s
}

// BenchmarkRedactOrdinary masks the texts of events as they are in every run.
func BenchmarkRedactOrdinary(b *testing.B) {
	s := ordinarySecrets()
	for _, text := range []struct{ name, text string }{
		{"word", "request.sent"},
		{"message", "job users has ended: 12 requests, 3,410 rows in 4.2 s, 0 retries"},
		{"address", "https://api.example.com/v2/users?page=12&limit=100&fields=id,name,email"},
		{"escaped address", "https://api.example.com/v2/users?since=2026-01-01T00%3A00%3A00%2B00%3A00&fields=id%2Cname+email"},
		{"JSON", `{"error":{"code":"invalid","message":"the parameter \"since\" is not a date"}}`},
		{"1 KB", strings.Repeat("GET https://api.example.com/v2/users?page=12 200 OK, 50 rows. ", 17)[:1024]},
		{"64 KB", strings.Repeat(`{"id":1234567,"name":"Ann \"the\" User","address":"https://a.test/?q=a%20b&c=d"}, `, 800)[:64<<10]},
	} {
		b.Run(text.name, func(b *testing.B) {
			b.SetBytes(int64(len(text.text)))
			b.ReportAllocs()
			for b.Loop() {
				s.Mask(text.text)
			}
		})
	}
}

// BenchmarkRedactHostile masks 1 MB of escapes.
func BenchmarkRedactHostile(b *testing.B) {
	s := ordinarySecrets()
	for _, unit := range []string{`\u0025`, "%25", `\\`, "&amp;", "+", `x\"y %20 a+b &amp; `} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(unit, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s.Mask(text)
			}
		})
	}
}
