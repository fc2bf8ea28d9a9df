package infer

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestCredentialsOfExamples: wherever an example has a credential, the configuration has it
// below a key with a hash sign only, nothing that is printed shows it, and the run sends the
// request of the example.
func TestCredentialsOfExamples(t *testing.T) {
	const key = "sk4eC39HqLyjWDarjtT1zdp7dc"
	for name, tt := range map[string]struct{ command, secret string }{
		"a key as the user":                 {"-u KEY: https://api.example.com/v1/orders", key},
		"a key and any password":            {"-u KEY:anything https://api.example.com/v1/orders", key},
		"a key and x":                       {"-u KEY:x https://api.example.com/v1/orders", key},
		"a short key and x":                 {"-u abc123:X https://api.example.com/v1/orders", "abc123"},
		"a key and the word api_token":      {"-u 1971800d4d82861d8f2c1651fea4d212:api_token https://api.example.com/v1/orders", "1971800d4d82861d8f2c1651fea4d212"},
		"a key in the address":              {"https://KEY:x@api.example.com/v1/orders", key},
		"a header of any name":              {"-H 'X-Acme-Client: KEY' https://api.example.com/v1/orders", key},
		"a hexadecimal header":              {"-H 'X-Login: 0123456789abcdef0123456789abcdef' https://api.example.com/v1/orders", "0123456789abcdef0123456789abcdef"},
		"a session in the query":            {"'https://api.example.com/v1/orders?a=1&session=KEY'", key},
		"a session id in the query":         {"'https://api.example.com/v1/orders?a=1&session_id=KEY'", key},
		"sid":                               {"'https://api.example.com/v1/orders?sid=KEY'", key},
		"jsessionid":                        {"'https://api.example.com/v1/orders;jsessionid=1A530637289A03B07199A44E8D531427?a=1'", "1A530637289A03B07199A44E8D531427"},
		"jsessionid in the middle":          {"'https://api.example.com/v1;JSESSIONID=1A530637289A03B07199A44E8D531427/orders'", "1A530637289A03B07199A44E8D531427"},
		"a token in the path":               {"https://api.example.com/v1/KEY/orders", key},
		"a token before the version":        {"https://api.example.com/KEY/v1/orders", key},
		"a token at the end":                {"https://api.example.com/orders/KEY", key},
		"a token after its name":            {"https://api.example.com/v1/orders/token/9f8a7b6c5d4e", "9f8a7b6c5d4e"},
		"an id after the name of a token":   {"https://api.example.com/v1/session/3f2504e0-4f89-41d3-9a0c-0305e82c3301/orders", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
		"a bot":                             {"https://api.example.com/bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11/getUpdates", "bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"},
		"escaped in the path":               {"https://api.example.com/v1/sk4eC39HqLyjWDarjtT1%3Ddp7dc/orders", "sk4eC39HqLyjWDarjtT1%3Ddp7dc"},
		"in the query of a POST":            {"'https://api.example.com/v1/orders?api_key=KEY' --json '{\"a\":1}'", key},
		"in the path and in the query":      {"'https://api.example.com/v1/KEY/orders?token=t0psecret9'", "t0psecret9"},
		"the same in the path and a header": {"-H 'Authorization: Bearer KEY' https://api.example.com/v1/KEY/orders", key},
	} {
		t.Run(name, func(t *testing.T) {
			x := of(t, strings.ReplaceAll(tt.command, "KEY", key), `[{"id":1},{"id":2}]`)
			p, settings := proposed(t, x, Choice{})
			known := &secret.Registry{}
			for _, text := range Secrets(x.Request) {
				known.Add(text)
			}
			if shown := known.Mask(string(p.Config)); strings.Contains(shown, tt.secret) {
				t.Errorf("printed:\n%s", shown)
			}
			var explained strings.Builder
			for _, g := range p.Guesses {
				explained.WriteString(g.Value + g.Evidence)
			}
			if shown := known.Mask(explained.String() + strings.Join(p.Notes, "") + p.Table); strings.Contains(shown, tt.secret) {
				t.Errorf("explained:\n%s", shown)
			}
			if strings.Contains(p.Table, tt.secret) {
				t.Errorf("the table is called %s", p.Table)
			}
			hidden := value.OfMembers(value.Member{Name: "api", Value: settings.Field("api")}, value.Member{Name: "config", Value: withoutSecrets(settings.Field("config"))})
			if strings.Contains(hidden.JSON(), tt.secret) {
				t.Errorf("outside of secrets:\n%s", p.Config)
			}
			if name == "a key in the address" {
				return // the run sends it in the header
			}
			if rows := runRows(t, p, []example.Exchange{x}); rows != 2 {
				t.Errorf("%d rows", rows)
			}
		})
	}
}

func withoutSecrets(v value.Value) value.Value {
	var rest []value.Member
	for _, m := range v.Members() {
		if !strings.HasPrefix(m.Name, "#") {
			rest = append(rest, m)
		}
	}
	return value.OfMembers(rest...)
}

// TestNoCredential: what only looks a little like one stays readable.
func TestNoCredential(t *testing.T) {
	for name, command := range map[string]string{
		"an id in the path":                "https://api.example.com/v1/customers/3f2504e0-4f89-41d3-9a0c-0305e82c3301/orders",
		"a short id in the path":           "https://api.example.com/v1/bases/appZ8f3kQ2mN1xYb7/orders",
		"words":                            "https://api.example.com/v1/monthly-report-of-all-customers-2024/orders",
		"a header with a version":          "-H 'X-Api-Version: 2024-01-01' https://api.example.com/v1/orders",
		"a header with a name":             "-H 'X-Tenant: acme-production-eu-west-1' https://api.example.com/v1/orders",
		"a header that traces":             "-H 'X-Request-Id: 9f8a7b6c5d4e3f2a1b0c' https://api.example.com/v1/orders",
		"a header with the id of a tenant": "-H 'X-Tenant-Id: 3f2504e0-4f89-41d3-9a0c-0305e82c3301' https://api.example.com/v1/orders",
		"a session that is none":           "'https://api.example.com/v1/talks?session=morning'",
		"a number":                         "'https://api.example.com/v1/orders?sid=123456789'",
	} {
		t.Run(name, func(t *testing.T) {
			p, settings := proposed(t, of(t, command, `[{"id":1},{"id":2}]`), Choice{})
			if config := settings.Field("config"); withoutSecrets(config).Len() != config.Len() {
				t.Errorf("%s", p.Config)
			}
		})
	}
	// A user with a password of its own is not a secret.
	_, settings := proposed(t, of(t, "-u ada:s3cret-word https://api.example.com/v1/orders", `[{"id":1}]`), Choice{})
	if got := settings.Field("config").Field("username").Raw(); got != "ada" {
		t.Errorf("the user is %q", got)
	}
}
