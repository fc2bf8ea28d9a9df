package queue

import (
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
)

// defaultBranch is the id of the only branch.
const defaultBranch = "1"

// environment returns the environment of the component, without the variables that only
// the sandbox knows.
func (q *Queue) environment(job store.Job, p plan, s step) map[string]string {
	mode := store.Run
	if job.Mode == store.Debug {
		mode = store.Debug
	}
	env := map[string]string{
		"KBC_RUNID":                 job.ID,
		"KBC_PROJECTID":             projectID,
		"KBC_STACKID":               q.o.Stack,
		"KBC_COMPONENTID":           job.Component,
		"KBC_CONFIGID":              p.config,
		"KBC_CONFIGVERSION":         p.version,
		"KBC_BRANCHID":              defaultBranch,
		"KBC_COMPONENT_RUN_MODE":    mode,
		"KBC_STAGING_FILE_PROVIDER": "aws",
		"KBC_PROJECT_FEATURE_GATES": "",
		"KBC_TOKEN":                 q.o.Token,
		"KBC_URL":                   q.o.URL,
		// The real platform does not set it. The web UI needs it to show running jobs.
		"EXTRACTOR_LIVE": "true",
	}
	if s.row != "" {
		env["KBC_CONFIGROWID"] = s.row
	}
	if q.o.DataTypeSupport != tableload.NoTypes {
		env["KBC_PROJECT_FEATURE_GATES"] = "new-native-types"
		env["KBC_DATA_TYPE_SUPPORT"] = q.o.DataTypeSupport
	}
	return env
}
