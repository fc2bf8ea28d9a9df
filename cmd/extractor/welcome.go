package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/keboola/configurable-extractor/pkg/app"
)

// newcomersText explains the program to people who start it without a data directory.
const newcomersText = `configurable-extractor extracts data from an HTTP API, as a configuration describes.

There is no data directory: %s does not exist, and neither --data nor
KBC_DATADIR names another one. Start with these commands:

  extractor init https://api.example.com/v1/orders --out my-data/config.json
  extractor validate my-data
  extractor run my-data

'extractor init' without a URL lists configurations for common kinds of APIs.

In Docker, mount the directory that holds config.json as /data:

  docker run --rm --user "$(id -u):$(id -g)" -v "$PWD/my-data:/data" ghcr.io/keboola/configurable-extractor

'extractor --help' lists all commands.
`

// noDataDir reports whether the default data directory would be used and does not exist.
// The platform mounts a data directory for each of its runs.
func noDataDir(given, standard string, getenv func(string) string) bool {
	if given != "" || getenv("KBC_DATADIR") != "" || app.OnPlatform(getenv) {
		return false
	}
	_, err := os.Stat(standard)
	return errors.Is(err, fs.ErrNotExist)
}

func welcome(w io.Writer, standard string) error {
	_, err := fmt.Fprintf(w, newcomersText, standard)
	return err
}
