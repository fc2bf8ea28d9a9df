package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// manifest is the part of docs/how-to/kubernetes.md that must fit the program.
type manifest struct {
	Kind       string
	Metadata   struct{ Name string }
	Data       map[string]string
	StringData map[string]string `yaml:"stringData"`
	Spec       struct {
		ConcurrencyPolicy string `yaml:"concurrencyPolicy"`
		JobTemplate       struct {
			Spec struct {
				BackoffLimit     int `yaml:"backoffLimit"`
				PodFailurePolicy struct {
					Rules []struct {
						Action      string
						OnExitCodes struct {
							ContainerName string `yaml:"containerName"`
							Values        []int
						} `yaml:"onExitCodes"`
					}
				} `yaml:"podFailurePolicy"`
				Template struct {
					Spec struct {
						SecurityContext struct {
							RunAsUser, RunAsGroup, FSGroup int
						} `yaml:"securityContext"`
						InitContainers []container `yaml:"initContainers"`
						Containers     []container
						Volumes        []struct {
							Name                  string
							ConfigMap             struct{ Name string }      `yaml:"configMap"`
							PersistentVolumeClaim struct{ ClaimName string } `yaml:"persistentVolumeClaim"`
						}
					}
				}
			}
		} `yaml:"jobTemplate"`
	}
}

type container struct {
	Name      string
	Image     string
	Args      []string
	Env       []struct{ Name, Value string }
	EnvFrom   []struct{ SecretRef struct{ Name string } } `yaml:"envFrom"`
	Resources struct {
		Limits struct{ Memory string }
	}
	VolumeMounts []struct{ Name, MountPath, SubPath string } `yaml:"volumeMounts"`
}

// kubernetesObjects are those of the page, by kind.
func kubernetesObjects(t *testing.T) map[string]manifest {
	t.Helper()
	page, err := os.ReadFile("../../docs/how-to/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml file=shop.yaml\n")
	text, _, found := strings.Cut(text, "```")
	if !found {
		t.Fatal("the page has no manifest")
	}
	// yaml.v3 compares names in lower case unless a tag says otherwise.
	for _, name := range []string{"runAsUser", "runAsGroup", "fsGroup", "mountPath", "subPath", "claimName", "secretRef"} {
		text = strings.ReplaceAll(text, name+":", strings.ToLower(name)+":")
	}
	objects := map[string]manifest{}
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var object manifest
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		objects[object.Kind] = object
	}
}

// TestKubernetesManifest: names, paths and the user of the manifest are those of each
// other, of the image and of the program.
func TestKubernetesManifest(t *testing.T) {
	t.Parallel()
	objects := kubernetesObjects(t)
	job := objects["CronJob"].Spec.JobTemplate.Spec
	pod := job.Template.Spec
	if len(pod.InitContainers) != 1 || len(pod.Containers) != 1 || objects["NetworkPolicy"].Kind == "" {
		t.Fatalf("got %+v", objects)
	}
	if objects["CronJob"].Spec.ConcurrencyPolicy != "Forbid" || job.BackoffLimit != 2 {
		t.Errorf("a data directory serves one run at a time: %+v", job)
	}
	if rules := job.PodFailurePolicy.Rules; len(rules) != 2 || rules[1].Action != "FailJob" || rules[1].OnExitCodes.ContainerName != "extractor" || !slices.Equal(rules[1].OnExitCodes.Values, []int{1}) {
		t.Errorf("rules %+v", rules)
	}

	dockerfile, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	user := pod.SecurityContext
	if line := fmt.Sprintf("\nUSER %d:%d\n", user.RunAsUser, user.RunAsGroup); user.RunAsUser == 0 || !strings.Contains(string(dockerfile), line) || user.FSGroup != user.RunAsGroup {
		t.Errorf("the image does not run as %+v", user)
	}

	volumes := map[string]string{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = v.ConfigMap.Name + v.PersistentVolumeClaim.ClaimName
	}
	if volumes["data"] != objects["PersistentVolumeClaim"].Metadata.Name || volumes["config"] != objects["ConfigMap"].Metadata.Name {
		t.Errorf("the volumes are %q", volumes)
	}
	paths := map[string]string{}
	extractor, ship := pod.InitContainers[0], pod.Containers[0]
	for _, m := range extractor.VolumeMounts {
		paths[m.MountPath] = m.Name + " " + m.SubPath
	}
	if paths["/data"] != "data " || paths["/data/config.json"] != "config config.json" || len(paths) != 2 {
		t.Errorf("mounted are %q", paths)
	}
	if len(ship.VolumeMounts) != 1 || ship.VolumeMounts[0].Name != "data" || !slices.Contains(ship.Args, ship.VolumeMounts[0].MountPath+"/out/tables") {
		t.Errorf("the tables are copied by %+v", ship)
	}
	if extractor.Name != "extractor" || extractor.EnvFrom[0].SecretRef.Name != objects["Secret"].Metadata.Name || extractor.Resources.Limits.Memory != "64Mi" {
		t.Errorf("the extractor is %+v", extractor)
	}
}

// TestKubernetesRun runs the manifest's configuration twice, with its arguments and its
// environment: the second run has the state of the first. A refused key is exit code 1.
func TestKubernetesRun(t *testing.T) {
	t.Parallel()
	objects := kubernetesObjects(t)
	extractor := objects["CronJob"].Spec.JobTemplate.Spec.Template.Spec.InitContainers[0]
	queries := make(chan url.Values, 1)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "replace-me" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		queries <- r.URL.Query()
		fmt.Fprint(w, `{"items":[{"id":1,"total":"19.90"}]}`)
	}))
	t.Cleanup(api.Close)
	address := "https://api.example.com"
	config := objects["ConfigMap"].Data["config.json"]
	if !strings.Contains(config, address) {
		t.Fatalf("the configuration is for another API:\n%s", config)
	}
	dir := dataDir(t, strings.ReplaceAll(config, address, api.URL))

	run := func(key string) (exit int, stdout, stderr string) {
		var env, args []string
		for name, value := range objects["Secret"].StringData {
			env = append(env, name+"="+strings.ReplaceAll(value, "replace-me", key))
		}
		for _, v := range extractor.Env {
			if v.Name != "EXTRACTOR_DENY_PRIVATE_NETWORKS" || v.Value != "true" {
				t.Errorf("the test does not know the variable %+v", v)
			} // and leaves it out: the test's API is on a private network
		}
		for _, arg := range extractor.Args {
			args = append(args, strings.ReplaceAll(arg, "/data", dir))
		}
		cmd, out, errs := program(env, append(args, "--strict")...)
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out.String(), errs.String()
	}
	for _, first := range []bool{true, false} {
		exit, stdout, stderr := run("replace-me")
		if exit != 0 || strings.Contains(stdout+stderr, "replace-me") {
			t.Fatalf("exit code %d\n%s%s", exit, stdout, stderr)
		}
		if since := (<-queries).Get("updated_since"); (since == "0") != first || since == "" {
			t.Errorf("it fetches what has changed since %q", since)
		}
	}
	if table, err := os.ReadFile(filepath.Join(dir, "out/tables/shop.orders")); err != nil || string(table) != "\"id\",\"total\"\n\"1\",\"19.90\"\n" {
		t.Errorf("table %q, %v", table, err)
	}
	if exit, _, stderr := run("wrong"); exit != 1 || !strings.Contains(stderr, "401") {
		t.Errorf("a refused key: exit code %d, %s", exit, stderr)
	}
}
