package devstack

import (
	"testing"
)

// TestTutorial runs all the commands of docs/learn/tutorial.md.
func TestTutorial(t *testing.T) {
	follow(t, "../../docs/learn/tutorial.md", "first")
}

// TestLocalPlatform runs the commands of docs/how-to/local-platform.md.
func TestLocalPlatform(t *testing.T) {
	follow(t, "../../docs/how-to/local-platform.md", "/tmp/first",
		// These are run where the image is built.
		"docker build -t configurable-extractor .",
		"go run ./cmd/devstack serve --runner docker",
		// This prints the path of a file.
		"go run ./cmd/devstack serve --tls",
	)
}

// TestInitGuide runs the commands of docs/how-to/init.md.
func TestInitGuide(t *testing.T) {
	follow(t, "../../docs/how-to/init.md", "my-data")
}

// TestIncrementalGuide runs the commands of docs/how-to/incremental.md.
func TestIncrementalGuide(t *testing.T) {
	follow(t, "../../docs/how-to/incremental.md", "my-data")
}

// TestDemoPage runs the commands of docs/learn/demo.md, but for what needs images.
func TestDemoPage(t *testing.T) {
	follow(t, "../../docs/learn/demo.md", "my-data",
		// tests/container runs these.
		"docker compose -f docker/compose.yaml up --detach --wait",
		"docker compose -f docker/compose.yaml run --rm extractor config push /data/config.json --name shop",
		"docker compose -f docker/compose.yaml run --rm extractor job run --config 1 --wait",
		"docker compose -f docker/compose.yaml down --volumes",
	)
}

// TestReadme runs the commands of README.md.
func TestReadme(t *testing.T) {
	follow(t, "../../README.md", "my-data",
		"go test ./...", // this is it
		// They need an account at Stripe. tests/apis runs the configuration.
		"extractor init --api stripe --out stripe/config.json", "extractor validate stripe", "extractor run stripe",
	)
}
