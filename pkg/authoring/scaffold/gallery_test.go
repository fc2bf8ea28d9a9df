package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// stripeCurl is the example that Stripe's documentation shows.
const stripeCurl = `curl https://api.stripe.com/v1/customers -u "sk_test_4eC39:"`

func TestKnownAPI(t *testing.T) {
	t.Run("with the credentials of an example", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "stripe", "config.json")
		got := try(t, Options{API: "stripe", Curl: stripeCurl, Out: file}, "")
		if got.err != nil || !strings.Contains(got.file, `"#key": "sk_test_4eC39"`) || strings.Contains(got.stdout, "sk_test") ||
			!strings.Contains(got.stdout, "From your example: #key.\n") || !strings.Contains(got.stdout, "docs/apis/stripe.md") {
			t.Error(got)
		}
	})
	t.Run("without an example", func(t *testing.T) {
		got := try(t, Options{API: "stripe"}, "")
		if got.err != nil || !strings.Contains(got.stdout, `"#key": "your-secret-key"`) || !strings.Contains(got.stderr, "Replace the value of #key with your own.\n") {
			t.Error(got)
		}
	})
	t.Run("printed with an example", func(t *testing.T) {
		got := try(t, Options{API: "stripe", Curl: stripeCurl}, "")
		if got.err != nil || !strings.Contains(got.stdout, `"#key": "[hidden]"`) || strings.Contains(got.stdout+got.stderr, "sk_test") {
			t.Error(got)
		}
	})
	t.Run("the example of an archive", func(t *testing.T) {
		har := filepath.Join(t.TempDir(), "browser.har")
		text := strings.NewReplacer("\n", "", "HOST", "api.stripe.com").Replace(`{"log":{"entries":[{"request":{"method":"GET","url":"https://HOST/v1/charges",
"headers":[{"name":"Authorization","value":"Bearer sk_live_9"}]},"response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":"{\"data\":[{\"id\":\"a\"}]}"}}}]}}`)
		for host, found := range map[string]bool{"api.stripe.com": true, "other.example.com": false} {
			if err := os.WriteFile(har, []byte(strings.ReplaceAll(text, "api.stripe.com", host)), 0o600); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "config.json")
			got := try(t, Options{API: "stripe", HAR: har, Out: out}, "")
			if (got.err == nil) != found || strings.Contains(got.file, `"#key": "sk_live_9"`) != found {
				t.Errorf("%s: %s", host, got)
			}
		}
	})
	t.Run("an unknown name", func(t *testing.T) {
		got := try(t, Options{API: "strip"}, "")
		if failure.KindOf(got.err) != failure.User || !strings.Contains(got.err.Error(), `did you mean "stripe"?`) {
			t.Error(got)
		}
	})
	t.Run("chosen by its host", func(t *testing.T) {
		got := try(t, Options{Curl: stripeCurl}, "\n")
		if got.err != nil || !strings.Contains(got.stderr, "Which configuration do you want?\n  1) stripe: a complete configuration for Stripe with customers, ") || !strings.Contains(got.stdout, `"Stripe-Version"`) {
			t.Error(got)
		}
	})
	t.Run("the list", func(t *testing.T) {
		var list strings.Builder
		if err := ListAPIs(&list); err != nil || !strings.Contains(list.String(), "stripe                  Stripe: customers, ") {
			t.Errorf("%v\n%s", err, list.String())
		}
	})
}
