package platformapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

type jobRecord struct {
	ID            string          `json:"id"`
	RunID         string          `json:"runId"`
	ParentRunID   json.RawMessage `json:"parentRunId"`
	Project       idAndName       `json:"project"`
	Token         jobToken        `json:"token"`
	Status        store.Status    `json:"status"`
	DesiredStatus store.Status    `json:"desiredStatus"`
	Mode          string          `json:"mode"`
	Component     string          `json:"component"`
	Config        *string         `json:"config"`
	ConfigData    json.RawMessage `json:"configData"`
	ConfigRowIDs  []string        `json:"configRowIds"`
	Tag           *string         `json:"tag"`
	CreatedTime   *string         `json:"createdTime"`
	StartTime     *string         `json:"startTime"`
	EndTime       *string         `json:"endTime"`
	// DurationSeconds is the duration up to now while the job runs.
	DurationSeconds int `json:"durationSeconds"`
	// Result is [] until the job ends.
	Result             any             `json:"result"`
	UsageData          []string        `json:"usageData"`
	IsFinished         bool            `json:"isFinished"`
	URL                string          `json:"url"`
	BranchID           string          `json:"branchId"`
	BranchType         string          `json:"branchType"`
	VariableValuesID   *string         `json:"variableValuesId"`
	VariableValuesData json.RawMessage `json:"variableValuesData"`
	Backend            json.RawMessage `json:"backend"`
	Executor           json.RawMessage `json:"executor"`
	Metrics            struct{}        `json:"metrics"`
	Behavior           json.RawMessage `json:"behavior"`
	Parallelism        json.RawMessage `json:"parallelism"`
	Type               json.RawMessage `json:"type"`
	Delay              json.RawMessage `json:"delay"`
	DelayedStartTime   json.RawMessage `json:"delayedStartTime"`
	OrchestrationJobID json.RawMessage `json:"orchestrationJobId"`
	OrchestrationTask  json.RawMessage `json:"orchestrationTaskId"`
	OnlyTasks          json.RawMessage `json:"onlyOrchestrationTaskIds"`
	PreviousJobID      json.RawMessage `json:"previousJobId"`
}

type idAndName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type jobToken struct {
	ID          string `json:"id"`
	Description string `json:"description"`
}

func (s *server) jobOf(r *http.Request, j store.Job) (jobRecord, error) {
	result, err := s.resultOf(j)
	if err != nil {
		return jobRecord{}, err
	}
	desired, extra := store.Processing, extrasOf(j)
	if j.Kill {
		desired = store.Terminating
	}
	return jobRecord{
		ID: j.ID, RunID: runID(j), ParentRunID: extra["parentRunId"],
		Project: idAndName{ID: strconv.Itoa(projectID), Name: projectName},
		Token:   jobToken{ID: tokenID, Description: tokenDescription},
		Status:  j.Status, DesiredStatus: desired, Mode: j.Mode,
		Component: j.Component, Config: orNull(j.Config), ConfigData: orRaw(j.ConfigData, "{}"),
		ConfigRowIDs: append([]string{}, j.ConfigRowIDs...), Tag: orNull(j.Tag),
		CreatedTime: queueTime(j.Created), StartTime: queueTime(j.Started), EndTime: queueTime(j.Ended),
		DurationSeconds: s.duration(j), Result: result, UsageData: []string{}, IsFinished: j.Status.Finished(),
		URL: s.queueURL(r) + "/jobs/" + j.ID, BranchID: strconv.Itoa(branchID), BranchType: "default",
		VariableValuesID: orNull(j.VariableValuesID), VariableValuesData: orRaw(j.VariableValuesData, "[]"),
		Backend: extra["backend"], Executor: extra["executor"], Behavior: extra["behavior"], Parallelism: extra["parallelism"],
		Type: extra["type"], Delay: extra["delay"], DelayedStartTime: extra["delayedStartTime"],
		OrchestrationJobID: extra["orchestrationJobId"], OrchestrationTask: extra["orchestrationTaskId"],
		OnlyTasks: extra["onlyOrchestrationTaskIds"], PreviousJobID: extra["previousJobId"],
	}, nil
}

// runID returns the ids of a job's parents and the job, joined with dots, outermost parent
// first.
func runID(j store.Job) string {
	if parent := parentOf(j); parent != "" {
		return parent + "." + j.ID
	}
	return j.ID
}

func parentOf(j store.Job) string { return strings.Trim(string(j.Extra["parentRunId"]), `"`) }

func typeOf(j store.Job) string {
	return strings.Trim(string(orRaw(j.Extra["type"], `"standard"`)), `"`)
}

func (s *server) duration(j store.Job) int {
	if j.Started.IsZero() {
		return 0
	}
	end := j.Ended
	if end.IsZero() {
		end = s.Now()
	}
	return int(max(0, end.Sub(j.Started)) / time.Second)
}

type jobResult struct {
	Message       string    `json:"message"`
	ConfigVersion *string   `json:"configVersion"`
	Images        [][]image `json:"images"`
	Input         struct {
		Tables []string `json:"tables"`
	} `json:"input"`
	Output struct {
		Tables []jobTable `json:"tables"`
	} `json:"output"`
	Variables []nameAndValue `json:"variables"`
	Error     *jobError      `json:"error,omitempty"`
}

type image struct {
	ID      string   `json:"id"`
	Digests []string `json:"digests"`
}

type jobTable struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	DisplayName string      `json:"displayName"`
	Columns     []jobColumn `json:"columns"`
}

type jobColumn struct {
	Name string `json:"name"`
}

type nameAndValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type jobError struct {
	Type        string `json:"type"`
	ExceptionID string `json:"exceptionId"`
}

// resultOf returns the result of a job, or an empty list before the job ends.
func (s *server) resultOf(j store.Job) (any, error) {
	if !j.Status.Finished() {
		return []string{}, nil
	}
	var r store.Result
	if j.Result != nil {
		r = *j.Result
	}
	result := jobResult{Message: r.Message, ConfigVersion: orNull(r.ConfigVersion), Images: [][]image{}, Variables: []nameAndValue{}}
	result.Input.Tables, result.Output.Tables = []string{}, []jobTable{}
	for _, id := range r.Images {
		result.Images = append(result.Images, []image{{ID: id, Digests: []string{}}})
	}
	for _, v := range r.Variables {
		result.Variables = append(result.Variables, nameAndValue(v))
	}
	for _, id := range r.Tables {
		t, err := s.jobTable(id)
		if err != nil {
			return nil, err
		}
		result.Output.Tables = append(result.Output.Tables, t)
	}
	if r.ErrorType != "" {
		result.Error = &jobError{Type: r.ErrorType, ExceptionID: r.ExceptionID}
	}
	return result, nil
}

// jobTable returns the current columns of a table. A deleted table has only a name.
func (s *server) jobTable(id string) (jobTable, error) {
	t, err := s.Store.Table(id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return jobTable{}, err
	}
	name := id[strings.LastIndexByte(id, '.')+1:]
	record := jobTable{ID: id, Name: name, DisplayName: name, Columns: []jobColumn{}}
	for _, c := range t.Columns {
		record.Columns = append(record.Columns, jobColumn{Name: c.Name})
	}
	return record, nil
}
