package functional

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestEndlessResponse has an API whose second response never ends: a limit breaks it
// off, and the first page is in the table.
func TestEndlessResponse(t *testing.T) {
	for name, set := range map[string]func(*app.Options){
		"max-bytes": func(o *app.Options) { o.Limits.Bytes = 1 << 20 },
		"max-time":  func(o *app.Options) { o.Limits.Time = time.Minute },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{})
			var w *world
			w = newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				if r.FormValue("offset") == "0" {
					write(out, `[{"id":1}]`)
					return
				}
				defer close(gone)
				part := []byte("[" + strings.Repeat(" ", 1<<16))
				for first := true; ; first = false {
					if _, err := out.Write(part); err != nil {
						return
					}
					if first {
						w.clock.Advance(time.Hour)
					}
				}
			}))
			set(&w.options)
			writeFile(t, filepath.Join(w.dir, "config.json"), `{"api":{"baseUrl":"http://api.test/","pagination":{"method":"offset","limit":1}},"config":{"jobs":[{"endpoint":"t"}]}}`)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // it would continue for ever
			defer cancel()
			got := w.run(ctx)
			<-gone
			got.checkStderr(t)
			got.checkLastEvent(t)
			files := readTree(t, w.dir)
			if got.exit != failure.ExitLimitReached || !strings.Contains(got.stdout, `"budget":"`+name+`"`) || files["out/tables/t"] != "\"id\"\n\"1\"\n" {
				t.Errorf("exit %d, %q\n%s", got.exit, files, got.stdout)
			}
			if _, ok := files["out/state.json"]; ok {
				t.Error("there is a state")
			}
		})
	}
}
