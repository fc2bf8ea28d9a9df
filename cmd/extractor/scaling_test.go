package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// splitPlatform stores the one configuration that is pushed and ends every job when it is
// created. The event of a job has its first iteration.
func splitPlatform(t *testing.T) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	stored, messages := "{}", map[string]string{}
	mux := http.NewServeMux()
	response := func(pattern string, body func(*http.Request) string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body(r))
		})
	}
	response("GET /v2/storage", func(r *http.Request) string {
		return `{"services":[{"id":"queue","url":"http://` + r.Host + `/queue"}]}`
	})
	response("POST /v2/storage/components/acme.ex-shop/configs", func(r *http.Request) string {
		stored = r.PostFormValue("configuration")
		return `{"id":"1"}`
	})
	response("GET /v2/storage/components/acme.ex-shop/configs/1", func(*http.Request) string {
		return `{"id":"1","rows":[],"configuration":` + stored + `}`
	})
	response("POST /queue/jobs", func(r *http.Request) string {
		var job struct {
			ConfigData struct {
				Parameters struct {
					Iterations []struct{ Region string }
					Config     struct {
						Jobs []struct {
							Windows struct{ From, To string }
						}
					}
				}
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&job); err != nil {
			t.Error(err)
		}
		id := fmt.Sprint(11 + len(messages))
		p := job.ConfigData.Parameters
		if len(p.Iterations) > 0 {
			messages[id] = "GET /orders?region=" + p.Iterations[0].Region
		} else {
			from, err := time.Parse(time.RFC3339, p.Config.Jobs[0].Windows.From)
			if err != nil {
				t.Error(err)
			}
			messages[id] = "Job orders: window 1 of 3, " + from.Format(time.DateOnly) + " to " + from.AddDate(0, 1, 0).Format(time.DateOnly)
		}
		return `{"id":"` + id + `","status":"success","isFinished":true,"startTime":"2026-05-04T10:00:00Z","endTime":"2026-05-04T10:00:42Z","result":{"message":"Component processing finished."}}`
	})
	response("GET /v2/storage/events", func(r *http.Request) string {
		return `[{"id":"1","type":"info","created":"2026-05-04T10:00:00+0000","message":"` + messages[r.FormValue("runId")] + `"}]`
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// blocks are the fenced blocks of docs/how-to/scaling.md: the words after the fence and the
// text.
func blocks(t *testing.T) [][2]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/how-to/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	var all [][2]string
	for i, part := range strings.Split(string(text), "```") {
		if i%2 == 1 {
			kind, block, _ := strings.Cut(part, "\n")
			all = append(all, [2]string{kind, block})
		}
	}
	return all
}

// TestScalingDocument runs every command that docs/how-to/scaling.md shows.
func TestScalingDocument(t *testing.T) {
	server, dir := splitPlatform(t), t.TempDir()
	commands, printed := 0, ""
	for _, b := range blocks(t) {
		kind, block := b[0], b[1]
		switch kind {
		case "json file=config.json":
			compiles(t, "config.json", block)
			if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(block), 0o600); err != nil {
				t.Fatal(err)
			}
		case "sh":
			for line := range strings.Lines(block) {
				commands++
				exit, stdout, stderr := client(t, server.URL, dir, platformToken, strings.Fields(line)[1:]...)
				if exit != 0 {
					t.Errorf("%s: exit code %d\n%s", line, exit, stderr)
				}
				printed = stdout
			}
		case "text":
			if printed != block {
				t.Errorf("printed:\n%s\nthe document shows:\n%s", printed, block)
			}
		}
	}
	if commands != 5 {
		t.Errorf("%d commands were run", commands)
	}
}

// compiles checks that a document has neither problems nor warnings.
func compiles(t *testing.T, name, text string) {
	t.Helper()
	doc, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, problems := config.Compile(doc, config.Options{Strict: true}); problems.Err() != nil {
		t.Errorf("%s: %v", name, problems)
	}
}

// kubernetes is the part of the manifest that must fit together.
type kubernetes struct {
	Kind string
	Data map[string]string
	Spec struct {
		CompletionMode           string `yaml:"completionMode"`
		Completions, Parallelism int
		Template                 struct {
			Spec struct {
				RestartPolicy  string `yaml:"restartPolicy"`
				InitContainers []pod  `yaml:"initContainers"`
				Containers     []pod
				Volumes        []struct {
					Name string
				}
			}
		}
	}
}

type pod struct {
	Name         string
	VolumeMounts []struct {
		Name        string
		MountPath   string `yaml:"mountPath"`
		SubPathExpr string `yaml:"subPathExpr"`
	} `yaml:"volumeMounts"`
	Env []struct{ Name string }
}

// TestScalingManifest: the manifest is YAML, there is a document that compiles
// for every index, and what is mounted exists.
func TestScalingManifest(t *testing.T) {
	var objects []kubernetes
	for _, b := range blocks(t) {
		if b[0] != "yaml file=shop.yaml" {
			continue
		}
		decoder := yaml.NewDecoder(strings.NewReader(b[1]))
		for {
			var object kubernetes
			err := decoder.Decode(&object)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			objects = append(objects, object)
		}
	}
	if len(objects) != 2 || objects[0].Kind != "ConfigMap" || objects[1].Kind != "Job" {
		t.Fatalf("got %+v", objects)
	}
	documents, job := objects[0].Data, objects[1].Spec
	if job.CompletionMode != "Indexed" || job.Completions != len(documents) || job.Parallelism < 1 || job.Template.Spec.RestartPolicy != "Never" {
		t.Errorf("job %+v for %d documents", job, len(documents))
	}
	for i := range job.Completions {
		compiles(t, fmt.Sprintf("config-%d.json", i), documents[fmt.Sprintf("config-%d.json", i)])
	}
	volumes := map[string]bool{}
	for _, v := range job.Template.Spec.Volumes {
		volumes[v.Name] = true
	}
	mounted := false
	for _, p := range append(job.Template.Spec.InitContainers, job.Template.Spec.Containers...) {
		if len(p.Env) == 0 || p.Env[0].Name != "JOB_COMPLETION_INDEX" {
			t.Errorf("%s does not know its index", p.Name)
		}
		for _, m := range p.VolumeMounts {
			if !volumes[m.Name] {
				t.Errorf("%s mounts %s, which is not a volume", p.Name, m.Name)
			}
			mounted = mounted || m.MountPath == "/data/config.json" && m.SubPathExpr == "config-$(JOB_COMPLETION_INDEX).json"
		}
	}
	if !mounted {
		t.Error("no document is mounted by the index")
	}
}
