package control

import (
	"context"
	"os"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Pull writes a stored configuration as indented JSON to a file, or to Out if file is "".
// It replaces an existing file.
func (s *Session) Pull(ctx context.Context, id, file string) error {
	stored, err := s.Platform.Configuration(ctx, s.Component, id)
	if err != nil {
		return err
	}
	text, err := s.pretty(stored.Content)
	if err != nil {
		return err
	}
	if file == "" {
		_, err = s.Out.Write(text)
		return err
	}
	// A configuration may be confidential, so other users must not read the file.
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return failure.Userf("cannot write the configuration: %w", err)
	}
	return s.line(s.Progress, "configuration %s is in %s", stored.ID, file)
}

// List writes the id, version and name of each stored configuration of the component.
func (s *Session) List(ctx context.Context) error {
	list, err := s.Platform.Configurations(ctx, s.Component)
	if err != nil {
		return err
	}
	if s.JSON {
		items := make([]value.Value, 0, len(list))
		for _, c := range list {
			items = append(items, value.OfMembers(member("id", c.ID), member("name", c.Name), member("version", c.Version)))
		}
		return s.compact(value.OfItems(items...))
	}
	rows := [][]string{{"ID", "VERSION", "NAME"}}
	for _, c := range list {
		rows = append(rows, []string{c.ID, c.Version, c.Name})
	}
	return s.table(rows)
}
