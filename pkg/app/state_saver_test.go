package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// storing is a platform that stores states.
type storing struct {
	asked  []string
	refuse int // status of every response; 0 answers
	stored string
}

func (s *storing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case s.refuse != 0:
		w.WriteHeader(s.refuse)
		fmt.Fprint(w, `{"error":"refused with the-token"}`)
	case r.URL.Path == "/v2/storage":
		fmt.Fprintf(w, `{"services":[{"id":"encryption","url":"http://%s/encryption"}]}`, r.Host)
	case strings.HasPrefix(r.URL.Path, "/encryption"):
		var sealed map[string]string
		if err := json.Unmarshal(body, &sealed); err != nil {
			panic(err)
		}
		for name, text := range sealed {
			sealed[name] = "KBC::of " + text
		}
		check(json.NewEncoder(w).Encode(sealed))
	case r.Method == http.MethodPut:
		s.stored = string(body)
		fmt.Fprint(w, `{}`)
	default:
		fmt.Fprintf(w, `{"state":{"component":{"since":1.50},"storage":{}}}`)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// keeping is a keeper with a platform and a data directory.
type keeping struct {
	*run
	platform *storing
	dir      string
	texts    []string // of the warnings
}

// Write implements event.Sink.
func (k *keeping) Write(e event.Event) error {
	if e.Kind == event.KindOf(event.StateUnsaved{}) {
		k.texts = append(k.texts, e.Fields[0].Value.(string))
	}
	return nil
}

// Close implements event.Sink.
func (k *keeping) Close() error { return nil }

func newKeeping(t *testing.T, without ...string) *keeping {
	t.Helper()
	k := &keeping{run: &run{}, platform: &storing{}, dir: t.TempDir()}
	server := httptest.NewServer(k.platform)
	t.Cleanup(server.Close)
	env := map[string]string{
		"KBC_URL": server.URL, "KBC_TOKEN": "the-token", "KBC_COMPONENTID": "acme.ex", "KBC_CONFIGID": "12", "KBC_PROJECTID": "5",
	}
	for _, name := range without {
		delete(env, name)
	}
	k.Getenv = func(name string) string { return env[name] }
	k.Secrets = &secret.Registry{}
	k.Secrets.Add("the-token")
	k.Now = time.Now
	k.Log = event.NewLog(k, k.Secrets, time.Now)
	k.State = testvalue.Parse(t, `{"at":"start"}`)
	return k
}

// remember is a change of states.
func remember(text string) func(value.Value) value.Value {
	return func(state value.Value) value.Value { return state.With("#token", value.OfString(text)) }
}

func (k *keeping) stage(t *testing.T) *datadir.Stage {
	t.Helper()
	dir, err := datadir.Open(k.dir)
	must(t, err)
	stage, err := dir.Stage()
	must(t, err)
	t.Cleanup(func() { must(t, stage.Discard()) })
	k.keepIn(stage)
	return stage
}

func (k *keeping) file(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(k.dir, "out", "state.json"))
	if !errors.Is(err, os.ErrNotExist) {
		must(t, err)
	}
	return string(text)
}

// TestKeep: the file has the state of the start with the change, the platform what it
// had with the change; also when the run has just been interrupted.
func TestKeep(t *testing.T) {
	k := newKeeping(t)
	k.stage(t)
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	k.Keep(interrupted, remember("new"))
	if got := k.file(t); got != `{"at":"start","#token":"new"}` {
		t.Errorf("the file is %s", got)
	}
	if want := `{"state":{"component":{"since":1.50,"#token":"KBC::of new"},"storage":{}}}`; k.platform.stored != want || len(k.texts) > 0 {
		t.Errorf("stored %s, want %s; warnings %q", k.platform.stored, want, k.texts)
	}
}

// TestKeepWithoutPlatform: on a laptop the file is all there is, and a replay changes
// nothing on a platform.
func TestKeepWithoutPlatform(t *testing.T) {
	for name, k := range map[string]*keeping{"laptop": newKeeping(t, "KBC_CONFIGID"), "replay": newKeeping(t)} {
		t.Run(name, func(t *testing.T) {
			if name == "replay" {
				k.Replay = "run.har"
			}
			k.stage(t)
			k.Keep(t.Context(), remember("new"))
			if got := k.file(t); got != `{"at":"start","#token":"new"}` || len(k.texts)+len(k.platform.asked) > 0 {
				t.Errorf("the file is %s, warnings %q, asked %q", got, k.texts, k.platform.asked)
			}
		})
	}
}

// TestKeepOfAnAction: it has no stage of its own.
func TestKeepOfAnAction(t *testing.T) {
	k := newKeeping(t, "KBC_CONFIGID")
	dir, err := datadir.Open(k.dir)
	must(t, err)
	k.keepAlone(dir)
	for _, text := range []string{"first", "second"} {
		k.Keep(t.Context(), remember(text))
		if got := k.file(t); got != `{"at":"start","#token":"`+text+`"}` {
			t.Errorf("the file is %s", got)
		}
	}
	stage := k.stage(t) // another run
	k.keepAlone(dir)
	k.Keep(t.Context(), remember("third"))
	if len(k.texts) != 1 || !strings.HasPrefix(k.texts[0], "in out/state.json: ") {
		t.Errorf("warnings %q", k.texts)
	}
	must(t, stage.Discard())
}

// TestPlatformThatRefuses is asked three times, and not again in this run; what is said
// shows no token.
func TestPlatformThatRefuses(t *testing.T) {
	k := newKeeping(t)
	k.platform.refuse = http.StatusForbidden
	k.stage(t)
	for range 5 {
		k.Keep(t.Context(), remember("new"))
	}
	if len(k.platform.asked) != 3 || len(k.texts) != 3 {
		t.Fatalf("asked %q, warnings %q", k.platform.asked, k.texts)
	}
	const again = "; the platform is not asked again in this run"
	for i, text := range k.texts {
		if !strings.HasPrefix(text, "on the platform: GET http://127.0.0.1:") || strings.Contains(text, "the-token") || strings.HasSuffix(text, again) != (i == 2) {
			t.Errorf("warning %d: %s", i+1, text)
		}
	}
}

// TestPlatformThatRecovers: a success begins the count again.
func TestPlatformThatRecovers(t *testing.T) {
	k := newKeeping(t)
	k.stage(t)
	for _, status := range []int{403, 403, 0, 403, 403, 0} {
		k.platform.refuse = status
		k.Keep(t.Context(), remember("new"))
	}
	if stored := slices.Index(k.platform.asked, "PUT /v2/storage/components/acme.ex/configs/12/state"); stored < 0 || len(k.texts) != 4 {
		t.Errorf("asked %q, warnings %q", k.platform.asked, k.texts)
	}
}

// TestUnsaved: what is missing is named, and a file that cannot be written is reported
// once.
func TestUnsaved(t *testing.T) {
	k := newKeeping(t, "KBC_TOKEN", "KBC_PROJECTID")
	k.stage(t)
	k.Keep(t.Context(), remember("new"))
	if want := []string{"on the platform: the environment lacks KBC_TOKEN, KBC_PROJECTID"}; !slices.Equal(k.texts, want) {
		t.Errorf("warnings %q, want %q", k.texts, want)
	}
	k = newKeeping(t)
	must(t, k.stage(t).Discard())
	for range 2 {
		k.Keep(t.Context(), remember("new"))
	}
	if len(k.texts) != 1 || !strings.HasPrefix(k.texts[0], "in out/state.json: cannot write the state: ") || k.platform.stored == "" {
		t.Errorf("warnings %q, stored %s", k.texts, k.platform.stored)
	}
}
