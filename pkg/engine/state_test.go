package engine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// counter is a contributor that counts runs.
type counter struct{ runs int64 }

func (c *counter) Keys() []string { return []string{"runs"} }

func (c *counter) Load(previous value.Value) { c.runs, _ = previous.Field("runs").Int() }

func (c *counter) Save() []value.Member {
	return []value.Member{{Name: "runs", Value: value.OfInt(c.runs + 1)}}
}

// TestContributor: a new contributor is carried from run to run by only
// being in the list.
func TestContributor(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// A client that is gone has its own error.
		_, _ = io.WriteString(w, `[{"id":1}]`)
	}))
	defer api.Close()
	doc, err := value.Parse(fmt.Appendf(nil, `{"parameters":{"api":{"baseUrl":%q},"config":{"jobs":[{"endpoint":"t"}]}}}`, api.URL+"/"))
	if err != nil {
		t.Fatal(err)
	}
	features := Features{Paging: pagination.AllMethods(), Auth: auth.AllSchemes()}
	tree := config.NewTree(config.Types{
		Authentication: features.Auth.Type(), Pagination: features.Paging.Type(), Placeholder: PlaceholderType(), Mappings: mapping.Type(),
	})
	compiled, problems := config.Compile(doc, config.Options{Tree: tree})
	plan := Compile(compiled, features, false)
	if len(*problems) > 0 {
		t.Fatal(*problems)
	}
	secrets := &secret.Registry{}
	now := func() time.Time { return time.Unix(1767323045, 0) }
	var state value.Value
	for run := int64(1); run <= 3; run++ {
		r := plan.newRun(&env.Run{
			Temp: t.TempDir(), Tables: t.TempDir(), State: state, Secrets: secrets,
			Log:    event.NewLog(discard{}, secrets, now),
			Now:    now,
			Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
			Dial:   (&net.Dialer{}).DialContext,
			Getenv: func(string) string { return "" },
		})
		r.state.Add(&counter{})
		result, err := r.run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		state = result.State
		if got, _ := state.Field("runs").Int(); got != run || state.Field("time").JSON() != `{"previousStart":1767323045}` {
			t.Errorf("run %d leaves %s", run, state.JSON())
		}
	}
}

// discard is where the events of a run go that no one looks at.
type discard struct{}

func (discard) Write(event.Event) error { return nil }

func (discard) Close() error { return nil }
