package encryption

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

func box(fill byte) *Box { return NewBox([32]byte(bytes.Repeat([]byte{fill}, 32))) }

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// reader is who runs a job.
var reader = Scope{Component: "acme.ex", Project: "1", Configuration: "7", BranchType: "default"}

func TestKinds(t *testing.T) {
	for name, tc := range map[string]struct {
		scope  Scope
		prefix string // "" is an error
	}{
		"component":                 {Scope{Component: "acme.ex"}, "KBC::ComponentSecure::"},
		"project":                   {Scope{Component: "acme.ex", Project: "1"}, "KBC::ProjectSecure::"},
		"configuration":             {Scope{Component: "acme.ex", Project: "1", Configuration: "7"}, "KBC::ConfigSecure::"},
		"whole project":             {Scope{Project: "1"}, "KBC::ProjectWideSecure::"},
		"branch":                    {Scope{Component: "acme.ex", Project: "1", BranchType: "default"}, "KBC::BranchTypeSecure::"},
		"configuration of a branch": {reader, "KBC::BranchTypeConfigSecure::"},
		"project and branch":        {Scope{Project: "1", BranchType: "default"}, "KBC::ProjectWideBranchTypeSecure::"},
		"nothing":                   {Scope{}, ""},
		"configuration alone":       {Scope{Configuration: "7"}, ""},
		"no project":                {Scope{Component: "acme.ex", Configuration: "7"}, ""},
		"no component":              {Scope{Project: "1", Configuration: "7"}, ""},
		"branch alone":              {Scope{Component: "acme.ex", BranchType: "dev"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := box(1)
			text, err := b.EncryptText(tc.scope, "secret")
			if tc.prefix == "" {
				if _, also := b.Encrypt(tc.scope, value.OfMembers()); !errors.Is(err, ErrScope) || !errors.Is(also, ErrScope) {
					t.Errorf("got %s, %v, %v", text, err, also)
				}
				return
			}
			if err != nil || !strings.HasPrefix(text, tc.prefix) || strings.Contains(text, "secret") {
				t.Fatalf("got %s, %v, want %s…", text, err, tc.prefix)
			}
			if again, err := b.EncryptText(tc.scope, "secret"); err != nil || again == text {
				t.Errorf("twice the same cipher, %v", err)
			}
			sealed := value.OfMembers(value.Member{Name: "#a", Value: value.OfString(text)})
			if plain, unread := b.Decrypt(reader, sealed); plain.JSON() != `{"#a":"secret"}` || unread != nil {
				t.Errorf("got %s, unread %q", plain.JSON(), unread)
			}
			if plain, unread := box(2).Decrypt(reader, sealed); !plain.Equal(sealed) || !slices.Equal(unread, []string{"#a"}) {
				t.Errorf("another platform reads %s, unread %q", plain.JSON(), unread)
			}
			tc.scope.differ(func(what string, other Scope) {
				if plain, unread := b.Decrypt(other, sealed); !plain.Equal(sealed) || len(unread) != 1 {
					t.Errorf("with another %s: %s, unread %q", what, plain.JSON(), unread)
				}
			})
			// A cipher is bound to its kind.
			for _, k := range kinds {
				_, rest, _ := strings.Cut(strings.TrimPrefix(text, prefix), "::")
				if other := prefix + k.name + "::" + rest; other != text {
					if plain, ok := b.decryptText(reader, other); ok {
						t.Errorf("%s is %s", other, plain)
					}
				}
			}
		})
	}
}

// differ calls try with the reader's scope in which one thing is another one, for
// all things that s names.
func (s Scope) differ(try func(what string, other Scope)) {
	for what, member := range map[string]func(*Scope) *string{
		"component":     func(s *Scope) *string { return &s.Component },
		"project":       func(s *Scope) *string { return &s.Project },
		"configuration": func(s *Scope) *string { return &s.Configuration },
		"branch type":   func(s *Scope) *string { return &s.BranchType },
	} {
		other := reader
		if *member(&s) != "" {
			*member(&other) = "other"
			try(what, other)
		}
	}
}

func TestDocuments(t *testing.T) {
	scope := Scope{Component: "acme.ex", Project: "1"}
	b := box(1)
	for name, tc := range map[string]struct{ document, decrypted string }{
		"texts":              {`{"a":"b","#c":"d","e":[{"#f":"g"}]}`, ""},
		"an empty text":      {`{"#a":""}`, ""},
		"a number":           {`{"#a":1.50}`, `{"#a":"1.50"}`},
		"true":               {`{"#a":true}`, `{"#a":"1"}`},
		"null":               {`{"#a":null}`, `{"#a":""}`},
		"below a secret":     {`{"#a":{"b":"c","#d":"e"},"#f":["g"]}`, ""},
		"no object":          {`["#a"]`, ""},
		"a cipher of others": {`{"#a":"KBC::ProjectSecureKV::abc"}`, ""},
		"no cipher":          {`{"#a":"KBC::x","#b":"KBC::Secure::"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			document := parse(t, tc.document)
			sealed, err := b.Encrypt(scope, document)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := b.Encrypt(scope, sealed); err != nil || !again.Equal(sealed) {
				t.Errorf("a cipher is encrypted: %s, %v", again.JSON(), err)
			}
			if tc.decrypted == "" {
				tc.decrypted = tc.document
			}
			if plain, _ := b.Decrypt(reader, sealed); plain.JSON() != tc.decrypted {
				t.Errorf("got %s, want %s", plain.JSON(), tc.decrypted)
			}
		})
	}
	sealed, err := b.Encrypt(scope, parse(t, `{"a":"plain","#b":{"c":"plain","#d":"hidden"},"#e":"hidden"}`))
	if err != nil || strings.Contains(sealed.JSON(), "hidden") || strings.Count(sealed.JSON(), "KBC::ProjectSecure::") != 2 || strings.Count(sealed.JSON(), "plain") != 2 {
		t.Errorf("got %s, %v", sealed.JSON(), err)
	}
}

// TestUnread: text that is not a cipher of this platform is not changed, and only what
// looks like a cipher is named.
func TestUnread(t *testing.T) {
	const document = `{"#a":"plain","#b":"KBC::x","#c":"KBC::ProjectSecure::!","#d":"KBC::ConfigSecureGKMS::eJx","#e":5,"f":"KBC::ProjectSecure::eJx"}`
	got, unread := box(1).Decrypt(reader, parse(t, document))
	if got.JSON() != document || !slices.Equal(unread, []string{"#c", "#d"}) {
		t.Errorf("got %s, unread %q", got.JSON(), unread)
	}
}

func FuzzDecrypt(f *testing.F) {
	for _, k := range kinds {
		f.Add(prefix + k.name + "::AAAA")
	}
	f.Add("KBC::ProjectSecure::")
	f.Fuzz(func(t *testing.T, text string) {
		b := box(1)
		if plain, ok := b.decryptText(reader, text); ok {
			t.Errorf("%q is the cipher of %q", text, plain)
		}
		sealed, err := b.EncryptText(reader, text)
		if err != nil {
			t.Fatal(err)
		}
		if plain, ok := b.decryptText(reader, sealed); !isCipher(text) && (!ok || plain != text) {
			t.Errorf("%q becomes %q", text, plain)
		}
	})
}

// Placeholders and empty texts stay in a document that is stored, and so do ciphers.
func TestEncryptPlain(t *testing.T) {
	b, scope := box(1), Scope{Component: "acme.ex", Project: "1"}
	given, err := value.Parse([]byte(`{"#a":"x","#n":1.50,"#e":"","#z":null,"#v":"Bearer {{token}}","#c":"KBC::ProjectSecureKV::x","o":{"#d":["a",{"#f":"y"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := b.EncryptPlain(scope, given)
	if err != nil || strings.Count(sealed.JSON(), prefix+"ProjectSecure::") != 3 || !strings.Contains(sealed.JSON(), `"#e":"","#z":null,"#v":"Bearer {{token}}","#c":"KBC::ProjectSecureKV::x"`) {
		t.Errorf("%s, %v", sealed.JSON(), err)
	}
	if again, err := b.EncryptPlain(scope, sealed); err != nil || !again.Equal(sealed) {
		t.Errorf("again %s, %v", again.JSON(), err)
	}
	plain, _ := b.Decrypt(scope, sealed)
	if want := strings.Replace(given.JSON(), "1.50", `"1.50"`, 1); plain.JSON() != want {
		t.Errorf("decrypted %s", plain.JSON())
	}
	if _, err := b.EncryptPlain(Scope{}, given); !errors.Is(err, ErrScope) {
		t.Errorf("without a scope: %v", err)
	}
}
