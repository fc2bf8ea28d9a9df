package platform_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestConfiguration(t *testing.T) {
	for name, tc := range map[string]struct {
		body                                string
		id, title, description, wantContent string
		disabled                            bool
		rows                                int
	}{
		"keeps order and numbers": {
			`{"id":"12","name":"n","description":"d","configuration":{"z":1.50,"a":{"y":1,"b":2}},"rows":[]}`,
			"12", "n", "d", `{"z":1.50,"a":{"y":1,"b":2}}`, false, 0,
		},
		"disabled, with rows": {
			`{"id":"12","name":"n","isDisabled":true,"configuration":{},"rows":[{"id":"1"},{"id":"2"}]}`,
			"12", "n", "", `{}`, true, 2,
		},
		"empty list is an empty object": {`{"id":"12","name":"n","configuration":[]}`, "12", "n", "", `{}`, false, 0},
		"number as id":                  {`{"id":12,"name":null,"configuration":{}}`, "12", "", "", `{}`, false, 0},
		"no configuration":              {`{"id":"12"}`, "12", "", "", `null`, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := mocked(t, map[string]response{config: {200, tc.body, ""}})
			got, err := c.Configuration(context.Background(), "keboola.variables", "12")
			if err != nil {
				t.Fatal(err)
			}
			if got.ID != tc.id || got.Name != tc.title || got.Description != tc.description || got.Content.JSON() != tc.wantContent ||
				got.Disabled != tc.disabled || got.Rows != tc.rows {
				t.Errorf("got %+v with %s", got, got.Content.JSON())
			}
			content, err := c.ConfigurationContent(context.Background(), "keboola.variables", "12")
			if err != nil || content.JSON() != tc.wantContent {
				t.Errorf("content %s, %v", content.JSON(), err)
			}
		})
	}
}

func TestRow(t *testing.T) {
	c, _ := mocked(t, map[string]response{row: {200, `{"id":"7","name":"r","configuration":{"values":[]}}`, ""}},
		func(o *platform.Options) { o.URL += "/" })
	content, err := c.RowContent(context.Background(), "keboola.variables", "12", "7")
	if err != nil || content.JSON() != `{"values":[]}` {
		t.Errorf("content %s, %v", content.JSON(), err)
	}
}

func TestAddressWithPath(t *testing.T) {
	c, _ := mocked(t, map[string]response{"GET https://h/pre/v2/storage/components/c/configs/1": {200, `{"id":"1"}`, ""}},
		func(o *platform.Options) { o.URL = "https://h/pre" })
	if _, err := c.Configuration(context.Background(), "c", "1"); err != nil {
		t.Error(err)
	}
}

// TestInvalidArguments: a call with an invalid id or without a name sends no request.
func TestInvalidArguments(t *testing.T) {
	ctx := context.Background()
	type client = platform.Client
	state := func(p platform.StateLocation) func(*client) error {
		return func(c *client) error {
			_, err := c.State(ctx, p)
			if also := c.SetState(ctx, p, value.OfMembers()); fmt.Sprint(also) != fmt.Sprint(err) {
				t.Errorf("got %v and %v", err, also)
			}
			return err
		}
	}
	create := func(component, name string) func(*client) error {
		return func(c *client) error {
			_, err := c.CreateConfiguration(ctx, component, name, value.OfMembers())
			return err
		}
	}
	job := func(j platform.NewJob) func(*client) error {
		return func(c *client) error { _, err := c.CreateJob(ctx, j); return err }
	}
	for _, tc := range []struct {
		want string // what the error says before the characters that are expected
		call func(*client) error
	}{
		{`component id "a/b"`, func(c *client) error { _, err := c.Configuration(ctx, "a/b", "1"); return err }},
		{`configuration id "1?x"`, func(c *client) error { _, err := c.Configuration(ctx, "c", "1?x"); return err }},
		{`configuration id ".."`, func(c *client) error { _, err := c.RowContent(ctx, "c", "..", "1"); return err }},
		{`row id "a%2Fb"`, func(c *client) error { _, err := c.RowContent(ctx, "c", "1", "a%2Fb"); return err }},
		{`job id "é"`, func(c *client) error { _, err := c.Job(ctx, "é"); return err }},
		{`job id ""`, func(c *client) error { _, err := c.Job(ctx, ""); return err }},
		{`job id "."`, func(c *client) error { _, err := c.Job(ctx, "."); return err }},
		{`job id ".."`, func(c *client) error { _, err := c.KillJob(ctx, ".."); return err }},
		{`job id "1/2"`, func(c *client) error { _, err := c.Events(ctx, "1/2", ""); return err }},
		{`component id ""`, func(c *client) error { _, err := c.Configurations(ctx, ""); return err }},
		{`component id "a/b"`, create("a/b", "n")},
		{"", create("a", "")},
		{`configuration id ".."`, func(c *client) error {
			_, err := c.UpdateConfiguration(ctx, "a", "..", "n", value.OfMembers())
			return err
		}},
		{`component id "a/b"`, job(platform.NewJob{Component: "a/b", ConfigData: value.OfMembers()})},
		{`configuration id "?"`, job(platform.NewJob{Component: "a", Configuration: "?", ConfigData: value.OfMembers()})},
		{`configuration id ""`, job(platform.NewJob{Component: "a", ConfigData: value.OfItems()})},
		{`component id "a/b"`, state(platform.StateLocation{Component: "a/b", Configuration: "1"})},
		{`configuration id ".."`, state(platform.StateLocation{Component: "a", Configuration: ".."})},
		{`row id "?"`, state(platform.StateLocation{Component: "a", Configuration: "1", Row: "?"})},
		{`branch id "1/2"`, state(platform.StateLocation{Branch: "1/2", Component: "a", Configuration: "1"})},
	} {
		c, transport := mocked(t, nil, toQueue)
		want := tc.want + " is not valid: expected letters, digits, '.', '_' and '-'"
		if tc.want == "" {
			want = "a configuration needs a name"
		}
		err := tc.call(c)
		if err == nil || err.Error() != want || failure.KindOf(err) != failure.User || transport.GetTotalCallCount() != 0 {
			t.Errorf("got %v after %d requests, want %s", err, transport.GetTotalCallCount(), want)
		}
	}
}
