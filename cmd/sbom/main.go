// Command sbom lists the modules that are linked into a Go program, as a CycloneDX
// document. The Dockerfile runs it on the extractor and adds the document to the image.
//
// It reads the list that the linker wrote into the program. The document does not depend on
// the time or the machine: the same program always produces the same document.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	version := flag.String("version", "dev", "the version of the program")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: sbom [-version VERSION] PROGRAM")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(1)
	}
	if err := write(os.Stdout, flag.Arg(0), *version); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// write writes the document of the program in a file to w.
func write(w io.Writer, file, version string) error {
	program, err := os.Open(file)
	if err != nil {
		return err
	}
	defer program.Close()
	info, err := buildinfo.Read(program)
	if err != nil {
		return fmt.Errorf("%s: %w: is it a program made by go build?", file, err)
	}
	if info.Main.Path == "" {
		return errors.New(file + ": the program does not say of which module it is")
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, io.NewSectionReader(program, 0, 1<<62)); err != nil {
		return err
	}
	document := bill(info, version, hex.EncodeToString(digest.Sum(nil)))
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(document, cyclonedx.SpecVersion1_6)
}

// bill returns the document of a program: the program with its SHA-256, the standard
// library, and the modules sorted by path.
func bill(info *debug.BuildInfo, version, digest string) *cyclonedx.BOM {
	components := []cyclonedx.Component{library("stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		components = append(components, library(module.Path, module.Version))
	}
	program := component(cyclonedx.ComponentTypeApplication, info.Main.Path, version)
	program.Name = path.Base(info.Main.Path)
	program.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: digest}}

	document := cyclonedx.NewBOM()
	document.Metadata = &cyclonedx.Metadata{Component: &program}
	document.Components = &components
	return document
}

func library(path, version string) cyclonedx.Component {
	return component(cyclonedx.ComponentTypeLibrary, path, version)
}

// component returns the component of a module. Its package URL is its identity.
func component(kind cyclonedx.ComponentType, path, version string) cyclonedx.Component {
	id := "pkg:golang/" + path + "@" + url.QueryEscape(version)
	return cyclonedx.Component{Type: kind, BOMRef: id, Name: path, Version: version, PackageURL: id}
}
