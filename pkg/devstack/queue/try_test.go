package queue

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestTry prepares what a job would get: plain texts of ciphers, values of variables, the
// state, and the secrets to mask.
func TestTry(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	q, err := New(Options{Store: p.store, Runner: p, Token: "t0ken"})
	must(t, err)
	cipher := p.cipher("1", "plain-s3cret")
	_, err = p.store.CreateConfiguration(store.Configuration{Component: extractor, ID: "1", Configuration: []byte(`{}`), State: []byte(`{"component":{"since":"2026"}}`)})
	must(t, err)
	job := store.Job{ID: "try", Component: extractor, Config: "1", Mode: store.Run,
		ConfigData:         []byte(`{"parameters":{"config":{"#key":"` + cipher + `","#other":"{{v}}"}},"processors":{"before":[1]}}`),
		VariableValuesData: []byte(`{"values":[{"name":"v","value":"variable-s3cret"}]}`)}
	spec, said, err := q.Try(job)
	must(t, err)
	config := string(spec.Config)
	if !strings.Contains(config, `"plain-s3cret"`) || !strings.Contains(config, `"variable-s3cret"`) || string(spec.State) != `{"since":"2026"}` {
		t.Errorf("got %s with state %s", config, spec.State)
	}
	for _, secret := range []string{"t0ken", "plain-s3cret", "variable-s3cret"} {
		if !slices.Contains(spec.Secrets, secret) {
			t.Errorf("%s is not masked", secret)
		}
	}
	if len(said) == 0 || said[0].Type != sandbox.Warn || !strings.Contains(said[0].Message, "Processors") {
		t.Errorf("said %+v", said)
	}
	job.ConfigData = []byte(`{"variables_id":"none"}`)
	if _, _, err := q.Try(job); failure.KindOf(err) != failure.User {
		t.Errorf("got %v", err)
	}
	must(t, p.store.Jobs(func(j store.Job) bool {
		t.Errorf("job %s is stored", j.ID)
		return true
	}))
}
