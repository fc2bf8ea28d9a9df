//go:build linux

package machine

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fileCount is the number of responses that become files in each run.
const fileCount = 3

// fileBody is the body of a file, of the first generation.
func fileBody(name string) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("%s of %d\n", name, firstGeneration), 500))
}

// bodyOf is the body of a file of a generation.
func bodyOf(name string, generation int64) string {
	return strings.ReplaceAll(string(fileBody(name)), strconv.Itoa(firstGeneration), strconv.FormatInt(generation, 10))
}

// configWithFiles also has jobs with files: each response becomes a file with the
// generation in its name, which stays if a killed run left it, and one with the same name
// in all generations.
func (a *api) configWithFiles() string {
	var jobs strings.Builder
	for i := range fileCount {
		fmt.Fprintf(&jobs, `{"endpoint": "files/%d", "dataType": "files", "response": {"format": "file"}},
			{"endpoint": "files/%[1]d", "id": "same %[1]d", "dataType": "files", "response": {"format": "file"}, "file": {"name": "same-%[1]d"}},`, i)
	}
	return strings.Replace(a.config(), `{"endpoint": "rows"},`, jobs.String()+`{"endpoint": "rows"},`, 1)
}

// filesOf are the files of a generation, and the table with their rows.
func filesOf(generation int64) (made map[string]string, table string) {
	made = map[string]string{}
	table = `"name","size","sha256","content_type"` + "\n"
	for i := range fileCount {
		body := bodyOf(strconv.Itoa(i), generation)
		for _, name := range []string{fmt.Sprintf("%d-%d.txt", generation, i), fmt.Sprintf("same-%d", i)} {
			made[name], made[name+".manifest"] = body, `{"is_permanent":false,"tags":[]}`
			table += fmt.Sprintf("\"%s\",\"%d\",\"%x\",\"application/json\"\n", name, len(body), sha256.Sum256([]byte(body)))
		}
	}
	return made, table
}

// outFiles are the files of out/files. The directory may be missing.
func outFiles(t *testing.T, data string) map[string]string {
	t.Helper()
	return files(t, filepath.Join(data, "out", "files"))
}

// noteFiles takes the files of a generation as committed: the tables of that generation
// have appeared.
func (k *killer) noteFiles(generation int64) {
	if generation == 0 {
		return
	}
	made, _ := filesOf(generation)
	maps.Copy(k.committed, made)
}

// lookAtFiles checks the files beside tables of a generation, after a kill: the files of
// this generation are there before its tables.
func (k *killer) lookAtFiles(generation int64) {
	there := outFiles(k.T, k.data)
	made, _ := filesOf(generation)
	for name, text := range made {
		// A later run that was killed in its commit may have moved the common names.
		if generation != 0 && there[name] != text && !strings.HasPrefix(name, "same-") {
			k.Errorf("the tables are of generation %d, and the file %s is not there", generation, name)
		}
	}
}
