package platform

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script is a component that is a shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "component")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExitCodes(t *testing.T) {
	for _, logging := range []string{"gelf", "stdout"} {
		t.Run(logging, func(t *testing.T) {
			t.Parallel()
			broken := script(t, `exec '`+extractor+`' --data "$KBC_DATADIR/none"`)
			api := newTarget(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such thing", http.StatusNotFound) })
			s := serve(t, t.TempDir(), "--logging", logging)
			config := oneJob(api.url, "x")

			user := s.start(t, s.store(t, component, config), "").ID
			failed(t, s, user, "user", "[404] Client error: GET "+api.url+"/x returned 404 Not Found: no such thing")

			s = serve(t, t.TempDir(), "--logging", logging, "--extractor", broken)
			id := s.store(t, component, config)
			failed(t, s, s.start(t, id, "").ID, "application", internal)
			var stored struct{ State any }
			s.get(t, s.configs(component)+"/"+id, &stored)
			if state := fmt.Sprint(stored.State); state != "map[]" && state != "[]" {
				t.Errorf("a failed job left the state %s", state)
			}
		})
	}
}

// hanging is an API that answers nothing until its client has gone; came and
// gone report when a client comes and goes.
func hanging(t *testing.T) (api *target, came, gone chan struct{}) {
	t.Helper()
	came, gone = make(chan struct{}, 100), make(chan struct{}, 100)
	return newTarget(t, func(_ http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	}), came, gone
}

func TestKill(t *testing.T) {
	for _, logging := range []string{"gelf", "stdout"} {
		t.Run(logging, func(t *testing.T) {
			t.Parallel()
			api, came, gone := hanging(t)
			s := serve(t, t.TempDir(), "--logging", logging)
			config := s.store(t, component, oneJob(api.url, "x"))
			first, second := s.start(t, config, ""), s.start(t, config, "")
			<-came
			s.become(t, first.ID, "processing")
			s.become(t, second.ID, "waiting")

			var cancelled, killed job
			s.call(t, http.StatusOK, http.MethodPost, s.queue+"/jobs/"+second.ID+"/kill", "", "", &cancelled)
			if cancelled.Status != "cancelled" || !cancelled.IsFinished || cancelled.StartTime != nil {
				t.Errorf("a waiting job became %+v", cancelled)
			}
			s.call(t, http.StatusOK, http.MethodPost, s.queue+"/jobs/"+first.ID+"/kill", "", "", &killed)
			if killed.DesiredStatus != "terminating" {
				t.Errorf("a killed job became %+v", killed)
			}
			terminated := s.become(t, first.ID, "terminated")
			<-gone
			if terminated.Result.Message != "The job was terminated." || terminated.Result.Error.Type != "" || terminated.EndTime == nil {
				t.Errorf("terminated as %+v", terminated)
			}
			var again refusal
			s.call(t, http.StatusBadRequest, http.MethodPost, s.queue+"/jobs/"+first.ID+"/kill", "", "", &again)
			if !strings.Contains(again.Error, "cannot be killed") {
				t.Errorf("killed twice: %+v", again)
			}
			var tables []struct{ ID string }
			s.get(t, s.storage+"/tables", &tables)
			if len(tables) > 0 || len(s.events(t, second.ID)) > 0 {
				t.Errorf("left behind: %v, %v", tables, s.events(t, second.ID))
			}
			if got := api.arrived(); !slices.Equal(got, []string{"GET /x"}) {
				t.Errorf("requests %v", got)
			}
		})
	}
}
