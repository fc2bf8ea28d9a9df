package httpclient

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// TestUnreadableBodiesOfErrors: the error of a refused request keeps its status, and says
// that the explanation of the API cannot be read.
func TestUnreadableBodiesOfErrors(t *testing.T) {
	for _, forLogin := range []bool{false, true} {
		f := newFixture(t, "https://api.example.com/", `{}`, nil)
		built, err := build(f.o.BaseURL, config.RequestSpec{Endpoint: "x"}, "a", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		res := &Response{call: &call{Request: built, Built: built, forLogin: forLogin}, Status: 401, StatusLine: "401 Unauthorized", Body: f.o.spooler.New()}
		if _, err := res.Body.Write([]byte(`{"error": "the key has expired"}`)); err != nil {
			t.Fatal(err)
		}
		breakFiles(t, f.spools)
		err = f.statusError(res)
		wantUserError(t, err)
		if !strings.Contains(err.Error(), "returned 401 Unauthorized: the response cannot be read again: ") || !strings.Contains(err.Error(), unix.EISDIR.Error()) {
			t.Errorf("got %v", err)
		}
	}
}

// breakFiles makes the open files of a directory unreadable: the kernel refuses to read a
// directory, which replaces each of them.
func breakFiles(t *testing.T, dir string) {
	t.Helper()
	handles, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	broken := 0
	for _, handle := range handles {
		target, err := os.Readlink(handle)
		if errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(target, dir) {
			continue
		}
		number := 0
		for _, digit := range filepath.Base(handle) {
			number = number*10 + int(digit-'0')
		}
		if err := unix.Dup3(int(root.Fd()), number, unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		broken++
	}
	if broken == 0 {
		t.Fatal("there is no open file")
	}
}
