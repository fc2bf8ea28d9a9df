package schema_test

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/schema"
)

// BenchmarkCompile measures what every start of the program does.
func BenchmarkCompile(b *testing.B) {
	text := []byte(given{api: `"pagination":{"method":"offset","limit":100},"http":{"headers":{"X":{"attr":"#k"}}},`, config: `"#k":"s","outputBucket":"b",`}.document())
	config.Compile(mustParse(b, text), config.Options{Tree: schema.Default().Tree, Now: clock})
	for b.Loop() {
		config.Compile(mustParse(b, text), config.Options{Tree: schema.Default().Tree, Now: clock})
	}
}
