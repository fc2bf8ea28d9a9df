package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/authoring/dotenv"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
)

// settingsFile is the file with settings for the commands config and job, and with the
// variables that a configuration refers to by {"env": …}.
const settingsFile = dotenv.Name

// settings reads settings from the environment, and from a file if the environment lacks
// them.
type settings struct {
	getenv func(string) string
	file   *dotenv.File
}

// openSettings reads the file. It is no error if the file does not exist.
func openSettings(path string, getenv func(string) string) (*settings, error) {
	file, err := dotenv.Open(path)
	return &settings{getenv, file}, err
}

func (s *settings) get(name string) string {
	value, _ := s.lookup(name)
	return value
}

// lookup returns the value of a setting and the path of the file that contains it. The path
// is "" if the value is from the environment.
func (s *settings) lookup(name string) (value, file string) {
	if value := s.getenv(name); value != "" {
		return value, ""
	}
	return s.file.Values[name], s.file.Path
}

// environment returns a function like os.LookupEnv that also finds the variables of a
// configuration in the settings file. The file is read when the first variable is missing
// from the environment. If it cannot be read, the function prints a warning once and the
// variable has no value.
func environment(warnings io.Writer) func(name string) (string, bool) {
	open := sync.OnceValue(func() *dotenv.File {
		file, err := dotenv.Open(settingsFile)
		if err != nil {
			fmt.Fprintln(warnings, "warning:", err)
			return &dotenv.File{}
		}
		return file
	})
	return func(name string) (string, bool) {
		if text, ok := os.LookupEnv(name); ok || !strings.HasPrefix(name, expr.EnvPrefix) {
			return text, ok
		}
		text, ok := open().Values[name]
		return text, ok
	}
}
