package goclient

import (
	"crypto/tls"
	"crypto/x509"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/go-client/pkg/keboola"
)

// trusting sends requests over TLS, with the authority of a platform as the only one.
func trusting(t *testing.T, authority string) *http.Transport {
	t.Helper()
	text, err := os.ReadFile(authority)
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatalf("authority: %v", err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// TestAsCode: the calls of the flows `kbc sync pull`, `diff` and `push`, by the package
// that kbc uses for them, over TLS.
func TestAsCode(t *testing.T) {
	ctx, api := connectTo(t, "--tls")
	branch, err := api.GetDefaultBranchRequest().Send(ctx)
	if err != nil {
		t.Fatal(err)
	}
	key := keboola.ConfigKey{BranchID: branch.ID, ComponentID: component, ID: "shop"}

	// push: secrets are encrypted, then what is new is created, with its metadata.
	index, err := api.IndexComponentsRequest().Send(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []keboola.ComponentID{component, keboola.VariablesComponentID} {
		if _, found := index.Components.ToMap().Get(id); !found {
			t.Errorf("the index has no component %s", id)
		}
	}
	sealed, err := api.EncryptRequest(1, component, map[string]string{"#token": "secret"}).Send(ctx)
	if err != nil {
		t.Fatal(err)
	}
	content := document(t, `{"parameters":{"api":{"#token":"`+(*sealed)["#token"]+`"},"config":{}}}`)
	config := &keboola.ConfigWithRows{
		Config: &keboola.Config{ConfigKey: key, Name: "Shop", ChangeDescription: "Updated from #KeboolaCLI", Content: content},
		Rows:   []*keboola.ConfigRow{{Name: "row", Content: document(t, `{"parameters":{}}`)}},
	}
	if _, err := api.CreateRequest(config).Send(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := api.AppendMetadataRequest(key, map[string]string{"KBC.KaC.branch-path": "main", "KBC.x": "1"}).Send(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := api.AppendMetadataRequest(branch.BranchKey, map[string]string{"KBC.template": "a", "KBC.gone": "b"}).Send(ctx); err != nil {
		t.Fatal(err)
	}
	// An empty value removes one.
	if _, err := api.AppendMetadataRequest(branch.BranchKey, map[string]string{"KBC.template": "c", "KBC.gone": ""}).Send(ctx); err != nil {
		t.Fatal(err)
	}

	// pull and diff: everything of the branch.
	pulled := pull(t, api, branch.BranchKey)
	if pulled.branch != "KBC.template=c" || pulled.configs != "KBC.KaC.branch-path=main KBC.x=1" || len(pulled.components) != 1 {
		t.Errorf("pulled %+v", pulled)
	}
	got := pulled.components[0].Configs[0]
	same(t, "configuration", got.Content, content)
	if len(got.Rows) != 1 || got.Rows[0].Name != "row" || got.ChangeDescription != "Row "+got.Rows[0].ID.String()+" added" {
		t.Errorf("pulled %+v", got)
	}

	// push again: what changed is updated, what is gone is deleted.
	got.Name, got.ChangeDescription = "Renamed", "again"
	got.Rows[0].Name = "renamed row"
	if _, err := api.UpdateRequest(got, []string{"name", "changeDescription"}).Send(ctx); err != nil {
		t.Fatal(err)
	}
	if pulled = pull(t, api, branch.BranchKey); pulled.components[0].Configs[0].Name != "Renamed" || pulled.components[0].Configs[0].Rows[0].Name != "renamed row" {
		t.Errorf("pulled %+v", pulled.components[0].Configs[0])
	}
	if _, err := api.DeleteRequest(key).Send(ctx); err != nil {
		t.Fatal(err)
	}
	if pulled = pull(t, api, branch.BranchKey); len(pulled.components) != 0 || pulled.configs != "" {
		t.Errorf("after the removal: %+v", pulled)
	}
}

// pulled is what a pull reads.
type pulled struct {
	branch, configs string // metadata
	components      []*keboola.ComponentWithConfigs
}

func pull(t *testing.T, api *keboola.AuthorizedAPI, branch keboola.BranchKey) (p pulled) {
	t.Helper()
	own, err := api.ListBranchMetadataRequest(branch).Send(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.branch = pairs(own.ToMap())
	metadata, err := api.ListConfigMetadataRequest(branch.ID).Send(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range metadata.ToMap() {
		p.configs += pairs(of)
	}
	components, err := api.ListConfigsAndRowsFrom(branch).Send(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.components = *components
	return p
}

func pairs(m keboola.Metadata) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, key+"="+m[key])
	}
	return strings.Join(list, " ")
}
