package queue

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type step struct {
	// row is the id of the row, "" if the configuration has no rows.
	row string
	// doc is the effective configuration. state is the state of the last run.
	doc, state value.Value
}

type plan struct {
	// config is KBC_CONFIGID: the id of the configuration, or a hash if the job has no
	// configuration id.
	config, version string
	// stored is true if the configuration exists, so that it can store the state.
	stored bool
	steps  []step
	// skipped lists the ids of disabled rows.
	skipped []string
}

// plan returns the steps of a job.
func (q *Queue) plan(job store.Job) (plan, error) {
	if job.Config == "" {
		doc, err := parse(job.ConfigData)
		plain, _ := q.box.Decrypt(Scope(job.Component, job.Config), doc) // ciphers of the same value differ each time
		return plan{config: hash(plain.Field("parameters")), steps: []step{{doc: doc}}}, err
	}
	c, err := q.configuration(job.Component, job.Config)
	missing := errors.Is(err, store.ErrNotFound)
	if err != nil && !missing {
		return plan{}, err
	}
	p := plan{config: job.Config, stored: !missing}
	switch {
	case isGiven(job.ConfigData):
		// Only the id and the state of the stored configuration are used.
		doc, err := parse(job.ConfigData)
		if err != nil {
			return p, err
		}
		s, err := newStep("", doc, c.State)
		p.steps = []step{s}
		return p, err
	case missing:
		return plan{}, failure.Userf(`Cannot resolve job parameters: Configuration "%s" not found`, job.Config)
	case c.IsDisabled && job.Mode != store.ForceRun:
		return plan{}, failure.Userf(`Configuration "%s" of component "%s" is disabled.`, job.Config, job.Component)
	}
	p.version = strconv.Itoa(c.Version)
	return p, p.addRows(job, c)
}

// configuration returns a stored configuration. A configuration in the trash counts as
// not found.
func (q *Queue) configuration(component, id string) (store.Configuration, error) {
	c, err := q.o.Store.Configuration(component, id)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && c.IsDeleted:
		return store.Configuration{}, store.ErrNotFound
	case err != nil:
		return c, storeError{fmt.Errorf("reading configuration %s of %s: %w", id, component, err)}
	default:
		return c, nil
	}
}

// addRows adds a step for each row to run, or a single step if the configuration has no
// rows.
func (p *plan) addRows(job store.Job, c store.Configuration) error {
	root, err := parse(c.Configuration)
	if err != nil {
		return err
	}
	if err := checkRows(job, c); err != nil {
		return err
	}
	if len(c.Rows) == 0 {
		s, err := newStep("", root, c.State)
		p.steps = []step{s}
		return err
	}
	for _, row := range c.Rows {
		named := slices.Contains(job.ConfigRowIDs, row.ID)
		switch {
		case !named && len(job.ConfigRowIDs) > 0:
			continue
		case !named && row.IsDisabled:
			p.skipped = append(p.skipped, row.ID)
			continue
		}
		doc, err := parse(row.Configuration)
		if err != nil {
			return err
		}
		if root.Field("processors").Len() > 0 && doc.Field("processors").Len() > 0 {
			return failure.Userf("Processors may be set either in configuration or in configuration row, but not in both places.")
		}
		s, err := newStep(row.ID, RowDocument(root, doc), row.State)
		if err != nil {
			return err
		}
		p.steps = append(p.steps, s)
	}
	return nil
}

func newStep(row string, doc value.Value, stored json.RawMessage) (step, error) {
	state, err := parse(stored)
	return step{row: row, doc: doc, state: state.Field("component")}, err
}

func checkRows(job store.Job, c store.Configuration) error {
	var missing []string
	for _, id := range job.ConfigRowIDs {
		if _, found := c.Row(id); !found {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return failure.Userf(`Rows "%s" were not found in configuration "%s".`, strings.Join(missing, `", "`), c.ID)
	}
	return nil
}

func parse(text json.RawMessage) (value.Value, error) {
	if !isGiven(text) {
		return value.OfMembers(), nil
	}
	v, err := value.Parse(text)
	if err != nil {
		return v, failure.Applicationf("a stored document is not JSON: %w", err)
	}
	return v, nil
}

// isGiven reports whether there is a document. The store keeps a missing document as
// null.
func isGiven(text json.RawMessage) bool { return len(text) > 0 && string(text) != "null" }

func hash(parameters value.Value) string {
	sum := sha1.Sum(parameters.AppendJSON(nil))
	return hex.EncodeToString(sum[:])
}
