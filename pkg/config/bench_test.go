package config

import "testing"

// BenchmarkCompile is what every start of the program pays after the schema is
// loaded.
func BenchmarkCompile(b *testing.B) {
	text := []byte(given{api: `"pagination":{"method":"offset","limit":100},"http":{"headers":{"X":{"attr":"#k"}}},`, config: `"#k":"s","outputBucket":"b",`}.document())
	Compile(mustParse(b, text), Options{Now: clock})
	for b.Loop() {
		Compile(mustParse(b, text), Options{Now: clock})
	}
}
