package queue

import (
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// TestFilesOfAJob: the files of a component that succeeds are stored before its tables,
// with the tags of the platform; the files of a failed component are not.
func TestFilesOfAJob(t *testing.T) {
	p := newPlatform(t)
	exit := 0
	p.component = func(run *play) sandbox.Exit {
		run.write(t, "out/files/a.pdf", "pdf")
		run.write(t, "out/files/a.pdf.manifest", `{"tags":["x"],"is_permanent":true}`)
		return sandbox.Exit{Code: exit}
	}
	p.start()
	p.configure("c", `{}`)
	j := p.run(store.Job{Config: "c"})
	if j.Status != store.Success || j.Result.Files != 1 {
		t.Errorf("%+v", j.Result)
	}
	var stored []store.File
	must(t, p.store.Files(func(f store.File) bool { stored = append(stored, f); return true }))
	want := []string{"x", "componentId: " + extractor, "configurationId: c", "branchId: 1", "runId: " + j.ID}
	if len(stored) != 1 || stored[0].Name != "a.pdf" || !stored[0].Permanent || stored[0].RunID != j.ID || !slices.Equal(stored[0].Tags, want) {
		t.Errorf("%+v", stored)
	}
	exit = 1
	p.run(store.Job{Config: "c"})
	count := 0
	must(t, p.store.Files(func(store.File) bool { count++; return true }))
	if count != 1 {
		t.Errorf("%d files", count)
	}
}

// TestFilesThatAreRefused: a mistake in a manifest fails the job before tables are loaded.
func TestFilesThatAreRefused(t *testing.T) {
	p := newPlatform(t)
	p.component = func(run *play) sandbox.Exit {
		run.write(t, "out/files/a.pdf.manifest", `{}`)
		return sandbox.Exit{}
	}
	p.start()
	p.configure("c", `{}`)
	j := p.run(store.Job{Config: "c"})
	if j.Status != store.Error || j.Result.Message != `Found orphaned file manifest: "a.pdf.manifest"` || len(p.tables.loadings) > 0 {
		t.Errorf("%+v, %d loads", j.Result, len(p.tables.loadings))
	}
}
