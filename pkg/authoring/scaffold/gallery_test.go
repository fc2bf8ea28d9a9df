package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/authoring/dotenv"
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
		if got.err != nil || !strings.Contains(got.stdout, `"#key": "your-restricted-key"`) || !strings.Contains(got.stderr, "Fill in before the first run:\n  #key, instead of your-restricted-key\n") {
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
	t.Run("with the responses of a person", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("key.pem", []byte("-----BEGIN\n'k3y'\n-----END\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(".env", []byte("EXTRACTOR_VAR_DATAVERSE_CLIENT_SECRET=of-another"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(".env", 0o644); err != nil { // others can read it
			t.Fatal(err)
		}
		hidden := []string{"@dm1n-k3y", "@key.pem"}
		o := Options{API: "dataverse", Out: "config.json", ReadSecret: func(string) (string, error) {
			next := hidden[0]
			hidden = hidden[1:]
			return next, nil
		}}
		got := try(t, o, "no host\nmake.powerapps.com\nacme\n\nc1\n")
		env, err := os.ReadFile(".env")
		if err != nil || string(env) != "EXTRACTOR_VAR_DATAVERSE_CLIENT_SECRET=of-another\nEXTRACTOR_VAR_DATAVERSE_CLIENT_SECRET_2=\"-----BEGIN\n'k3y'\n-----END\"\n" {
			t.Errorf("%q, %v", env, err)
		}
		for _, want := range []string{`"clientId": "c1"`, `"#clientSecret": {"env": "DATAVERSE_CLIENT_SECRET_2"}`, `"https://acme.crm.dynamics.com/api/`, `"https://acme.crm.dynamics.com/.default"`, `/your-tenant-id/`} {
			if !strings.Contains(got.file, want) {
				t.Errorf("the configuration lacks %s", want)
			}
		}
		if !strings.Contains(got.stderr, "make.powerapps.com is not a host of this API, such as your-org.crm.dynamics.com; enter it again to use it\n") {
			t.Error(got)
		}
		if got.err != nil || strings.Contains(got.stdout+got.stderr, "k3y") ||
			!strings.Contains(got.stdout, "Stored in the file .env of this directory, where runs find them: EXTRACTOR_VAR_DATAVERSE_CLIENT_SECRET_2.\nOther users of this computer can read this file. Run: chmod 600 .env\nFill in before the first run:\n  your-tenant-id, wherever it appears\n") {
			t.Error(got)
		}
	})
	t.Run("a variable of the environment", func(t *testing.T) {
		b := &exampleInit{Options: Options{Getenv: func(name string) string {
			return map[string]string{"EXTRACTOR_VAR_SHOP_KEY": "of-another"}[name]
		}}}
		if got := b.unusedVariable(&dotenv.File{}, "SHOP_KEY"); got != "SHOP_KEY_2" {
			t.Error(got)
		}
	})
	t.Run("a server of one's own", func(t *testing.T) {
		t.Chdir(t.TempDir())
		got := try(t, Options{API: "elasticsearch", Out: "config.json", ReadSecret: func(string) (string, error) { return "", nil }}, "search.acme.example:9200\nsearch.acme.example:9200\n\n")
		if got.err != nil || !strings.Contains(got.file, `"https://search.acme.example:9200"`) {
			t.Error(got)
		}
	})
	t.Run("no one answers", func(t *testing.T) {
		t.Chdir(t.TempDir())
		got := try(t, Options{API: "dataverse", Out: "config.json"}, "c1")
		if got.err == nil || got.file != "" {
			t.Error(got)
		}
	})
}
