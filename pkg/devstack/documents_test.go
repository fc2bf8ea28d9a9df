package devstack

import "testing"

// TestTutorial runs everything that docs/tutorial.md tells its reader to do.
func TestTutorial(t *testing.T) {
	follow(t, "../../docs/tutorial.md", "/tmp/first")
}

// TestReadme does the same with README.md, but for what needs more than this
// process.
func TestReadme(t *testing.T) {
	follow(t, "../../README.md", "my-data",
		"go test ./...", // this is it
		// The next two are run where the image is built.
		"docker build -t configurable-extractor .",
		`docker run --rm --network host --user "$(id -u):$(id -g)" -v "$PWD/my-data:/data" configurable-extractor`,
	)
}
