// Package scaffold is what `extractor init` does: it writes the beginning of a
// configuration, a recipe or one that is guessed from an example.
//
// It promises to overwrite no file, and that nothing it prints shows a
// credential of the example; only the file does, which only its owner can read.
// It asks questions when someone can answer them. Packages recipe and propose
// decide what it writes.
package scaffold

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/authoring/recipe"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// List prints the names of all recipes and what they are for.
func List(out io.Writer) error {
	for _, r := range recipe.All() {
		if _, err := fmt.Fprintf(out, "%-18s  %s\n", r.Name, r.Summary); err != nil {
			return err
		}
	}
	return nil
}

// Recipe writes a recipe to a new file and says so on progress; without a file
// it prints it to out.
func Recipe(out, progress io.Writer, name, file string) error {
	text, err := recipe.Config(name)
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
	_, err = fmt.Fprintf(progress, "the recipe %s is in %s\n%s\n", name, file, aboutIncomplete)
	return err
}

// create writes a file that must not exist yet, and the directories on the way
// to it. Secrets will be put there, so it is its owner's only.
func create(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return failure.Userf("cannot write the configuration: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return taken(path)
	case err != nil:
		return failure.Userf("cannot write the configuration: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return failure.Userf("cannot write the configuration: %w", errors.Join(err, os.Remove(path)))
	}
	return nil
}

func taken(path string) error {
	return failure.Userf("%s exists already and is left alone, choose another file", path)
}
