// Package scaffold implements `extractor init`: it writes a new configuration from a
// recipe, from the gallery or inferred from an example.
//
// It overwrites no file and prints no credential of the example. Only the new file has
// the credentials, and only its owner can read the file. Packages recipe, gallery and
// infer provide the configuration.
package scaffold

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/gallery"
)

// Recipe writes a recipe to a new file and reports the file on progress. If file is "",
// it prints the recipe to out.
func Recipe(out, progress io.Writer, name, file string) error {
	text, err := gallery.RecipeConfig(name)
	if err != nil {
		return err
	}
	if file == "" {
		_, err = out.Write(text)
		return err
	}
	if err := create(file, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(progress, "the recipe %s was written to %s\n%s\n", name, file, aboutIncomplete)
	return err
}

// create writes a new file and creates its directories. Only the owner can read them,
// because the file will have secrets.
func create(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return failure.Userf("cannot write the configuration: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return existsError(path)
	case err != nil:
		return failure.Userf("cannot write the configuration: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return failure.Userf("cannot write the configuration: %w", errors.Join(err, os.Remove(path)))
	}
	return nil
}

func existsError(path string) error {
	return failure.Userf("%s already exists and is not overwritten; choose another file", path)
}
