package platform_test

import (
	"context"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
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

func TestOddIDsAreNotSent(t *testing.T) {
	ctx := context.Background()
	for name, tc := range map[string]struct {
		call func(*platform.Client) error
		want string
	}{
		"component": {func(c *platform.Client) error { _, err := c.Configuration(ctx, "a/b", "1"); return err }, `component id "a/b"`},
		"configuration": {func(c *platform.Client) error { _, err := c.Configuration(ctx, "c", "1?x"); return err },
			`configuration id "1?x"`},
		"configuration of a row": {func(c *platform.Client) error { _, err := c.RowContent(ctx, "c", "..", "1"); return err },
			`configuration id ".."`},
		"row":   {func(c *platform.Client) error { _, err := c.RowContent(ctx, "c", "1", "a%2Fb"); return err }, `row id "a%2Fb"`},
		"job":   {func(c *platform.Client) error { _, err := c.Job(ctx, "é"); return err }, `job id "é"`},
		"empty": {func(c *platform.Client) error { _, err := c.Job(ctx, ""); return err }, `job id ""`},
		"dot":   {func(c *platform.Client) error { _, err := c.Job(ctx, "."); return err }, `job id "."`},
	} {
		t.Run(name, func(t *testing.T) {
			c, transport := mocked(t, nil)
			err := tc.call(c)
			want := tc.want + " is not valid: expected letters, digits, '.', '_' and '-'"
			if err == nil || err.Error() != want || failure.KindOf(err) != failure.User {
				t.Errorf("got %v, want %q", err, want)
			}
			if n := transport.GetTotalCallCount(); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}
