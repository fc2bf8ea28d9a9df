package queue

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/encryption"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// cipher is the cipher of a text for this configuration of the extractor.
func (p *platform) cipher(configuration, text string) string {
	p.t.Helper()
	sealed, err := encryption.NewBox(p.store.Key()).
		EncryptText(encryption.Scope{Component: extractor, Project: projectID, Configuration: configuration}, text)
	must(p.t, err)
	return sealed
}

// TestCiphers: the component gets plain texts, the store keeps ciphers, and the texts
// are masked.
func TestCiphers(t *testing.T) {
	for name, row := range map[string]string{"configuration": "", "row": "a"} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			rows := []store.Row{{ID: "a"}}
			p.configure("7", `{"parameters":{"#password":"`+p.cipher("7", "of-the-configuration")+`"}}`, rows[:len(row)]...)
			_, err := p.store.SetState(extractor, "7", row, []byte(`{"component":{"#token":"`+p.cipher("7", "of-the-state")+`","since":1.0}}`))
			must(t, err)
			p.component = func(run *play) sandbox.Exit {
				if !strings.Contains(string(run.spec.Config), `"#password": "of-the-configuration"`) {
					t.Errorf("configuration %s", run.spec.Config)
				}
				same(t, "state", string(run.spec.State), `{"#token":"of-the-state","since":1}`)
				for _, secret := range []string{"of-the-configuration", "of-the-state"} {
					if !slices.Contains(run.spec.Secrets, secret) {
						t.Errorf("%s is not masked", secret)
					}
				}
				run.write(t, "out/state.json", `{"a":{"#token":"new-token"},"since":2}`)
				return sandbox.Exit{}
			}
			j := p.run(store.Job{Config: "7"})
			same(t, "status", string(j.Status), "success")
			c, err := p.store.Configuration(extractor, "7")
			must(t, err)
			stored := c.State
			if row != "" {
				stored = c.Rows[0].State
			}
			if got := string(stored); strings.Contains(got, "new-token") || !strings.Contains(got, `{"component":{"a":{"#token":"KBC::ProjectSecure::`) || !strings.Contains(got, `"since":2`) {
				t.Errorf("stored state %s", got)
			}
			p.component = func(run *play) sandbox.Exit {
				same(t, "state of the next run", string(run.spec.State), `{"a":{"#token":"new-token"},"since":2}`)
				return sandbox.Exit{}
			}
			same(t, "next run", string(p.run(store.Job{Config: "7"}).Status), "success")
		})
	}
}

// TestCiphersOfAJob: a job without a configuration has the same id of a configuration,
// and so the same bucket, however its secrets are encrypted.
func TestCiphersOfAJob(t *testing.T) {
	p := newPlatform(t)
	var ids []string
	p.component = func(run *play) sandbox.Exit {
		ids = append(ids, run.spec.Env["KBC_CONFIGID"])
		return sandbox.Exit{}
	}
	for _, secret := range []string{"plain", p.cipher("", "plain"), p.cipher("", "plain"), "other"} {
		same(t, "status", string(p.run(store.Job{ConfigData: []byte(`{"parameters":{"#password":"` + secret + `"}}`)}).Status), "success")
	}
	if len(ids) != 4 || ids[0] != ids[1] || ids[1] != ids[2] || ids[2] == ids[3] {
		t.Errorf("ids %q", ids)
	}
}

// TestCiphersOfOthers: in a configuration they stay, a state with them is an error.
func TestCiphersOfOthers(t *testing.T) {
	const foreign = `"#token":"KBC::ConfigSecureGKMS::eJx"`
	p := newPlatform(t)
	p.configure("7", `{"parameters":{`+foreign+`}}`)
	p.component = func(run *play) sandbox.Exit {
		if !strings.Contains(string(run.spec.Config), "KBC::ConfigSecureGKMS::eJx") {
			t.Errorf("configuration %s", run.spec.Config)
		}
		return sandbox.Exit{}
	}
	same(t, "status", string(p.run(store.Job{Config: "7"}).Status), "success")
	for name, state := range map[string]string{
		"of another platform":      foreign,
		"of another configuration": `"#token":"` + p.cipher("8", "x") + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.store.SetState(extractor, "7", "", []byte(`{"component":{`+state+`}}`))
			must(t, err)
			j := p.run(store.Job{Config: "7"})
			same(t, "end", string(j.Status)+" "+j.Result.ErrorType+": "+j.Result.Message,
				"error user: Invalid cipher text in the state for the keys #token: the value is not encrypted for this component, project and configuration.")
		})
	}
}
