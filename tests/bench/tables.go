package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bucket is the output bucket of all configurations.
const bucket = "b"

// tables are the tables a process wrote, by name without bucket.
type tables map[string]tableFacts

type tableFacts struct {
	Rows   int    `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// readTables looks at all tables in a directory; none when it is not there.
// Manifests are no tables.
func readTables(dir string) (tables, error) {
	files, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return tables{}, nil
	}
	if err != nil {
		return nil, err
	}
	all := tables{}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), ".manifest") {
			continue
		}
		facts, err := readTable(filepath.Join(dir, file.Name()))
		if err != nil {
			return nil, err
		}
		all[strings.TrimPrefix(file.Name(), bucket+".")] = facts
	}
	return all, nil
}

// readTable counts the lines after the header: no value of the workloads has
// a line break in it.
func readTable(name string) (tableFacts, error) {
	file, err := os.Open(name)
	if err != nil {
		return tableFacts{}, err
	}
	defer file.Close()
	facts := tableFacts{Rows: -1}
	sum := sha256.New()
	buf := make([]byte, 256<<10)
	for {
		n, err := file.Read(buf)
		sum.Write(buf[:n])
		facts.Bytes += int64(n)
		facts.Rows += bytes.Count(buf[:n], []byte{'\n'})
		if err == io.EOF {
			facts.SHA256 = hex.EncodeToString(sum.Sum(nil))
			return facts, nil
		}
		if err != nil {
			return tableFacts{}, err
		}
	}
}

func (t tables) equal(other tables) bool { return maps.Equal(t, other) }

// compare is an error unless both have the same tables with so many rows and,
// when the bytes can be the same, the same bytes.
func (t tables) compare(floor tables, generated bool) error {
	names := slices.Sorted(maps.Keys(t))
	if others := slices.Sorted(maps.Keys(floor)); !slices.Equal(names, others) {
		return fmt.Errorf("the extractor wrote the tables %v, the floor %v", names, others)
	}
	for _, name := range names {
		switch a, b := t[name], floor[name]; {
		case a.Rows != b.Rows:
			return fmt.Errorf("table %s: %d rows of the extractor, %d of the floor", name, a.Rows, b.Rows)
		case !generated && a.SHA256 != b.SHA256:
			return fmt.Errorf("table %s: extractor and floor wrote different bytes", name)
		}
	}
	return nil
}
