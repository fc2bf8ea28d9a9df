package main

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// configName is the name of the configuration in a data directory.
const configName = "config.json"

// target is the resolved argument FILE|DIR together with the flag --data.
type target struct {
	file string // path of the configuration
	// dataDir is the data directory. It is empty if it is unknown: the configuration is a
	// file with another name, and --data is not set.
	dataDir string
}

// targetOf resolves an argument. given is the value of --data, or "".
func targetOf(argument, given string) (target, error) {
	info, err := os.Stat(argument)
	switch {
	case err != nil:
		return target{}, failure.Userf("cannot read the configuration: %w", err)
	case info.IsDir() && given != "":
		return target{}, failure.Userf("two data directories: '%s' and --data '%s'; leave one out", argument, given)
	case info.IsDir():
		return target{filepath.Join(argument, configName), argument}, nil
	case given == "" && filepath.Base(argument) == configName:
		return target{argument, filepath.Dir(argument)}, nil
	default:
		return target{argument, given}, nil
	}
}

// configuration is the text of a configuration, its path and its data directory.
type configuration struct {
	file, dataDir string
	text          []byte
}

// configurations reads the configurations that the arguments name. Without arguments it
// reads the configuration of the data directory.
func configurations(cmd *cobra.Command, args []string, given string) ([]configuration, error) {
	if len(args) == 0 && noDataDir(given, app.DefaultDataDir, os.Getenv) {
		return nil, failure.Userf("no configuration: name a file or a directory, such as '%s config.json'", cmd.CommandPath())
	}
	var places []target
	for _, argument := range args {
		p, err := targetOf(argument, given)
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	if len(args) == 0 {
		dir := app.DataDir(given, os.Getenv)
		places = []target{{filepath.Join(dir, configName), dir}}
	}
	var all []configuration
	for _, p := range places {
		text, err := os.ReadFile(p.file)
		if err != nil {
			return nil, failure.Userf("cannot read the configuration: %w", err)
		}
		all = append(all, configuration{p.file, cmp.Or(p.dataDir, filepath.Dir(p.file)), text})
	}
	return all, nil
}
