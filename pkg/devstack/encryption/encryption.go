// Package encryption creates and decrypts the ciphers of the local platform.
//
// A cipher is encrypted and authenticated with the key of the platform. As on the real
// platform, it is bound to its scope: it can only be decrypted for the component, the
// project, the configuration and the type of branch that it was created for. Ciphers of
// other platforms cannot be decrypted. The package stores no data.
package encryption

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// prefix is the prefix of every cipher.
const prefix = "KBC::"

// Scope restricts who can decrypt a cipher. Empty fields do not restrict it.
type Scope struct {
	Component, Project, Configuration string
	// BranchType is default or dev.
	BranchType string
}

// kind is a kind of ciphers: its name, and the parts of the scope that its ciphers are
// bound to.
type kind struct {
	name                                          string
	component, project, configuration, branchType bool
}

var kinds = []kind{
	{name: "ComponentSecure", component: true},
	{name: "ProjectSecure", component: true, project: true},
	{name: "ConfigSecure", component: true, project: true, configuration: true},
	{name: "ProjectWideSecure", project: true},
	{name: "BranchTypeSecure", component: true, project: true, branchType: true},
	{name: "BranchTypeConfigSecure", component: true, project: true, configuration: true, branchType: true},
	{name: "ProjectWideBranchTypeSecure", project: true, branchType: true},
}

// ErrScope is the error for a scope that no kind of ciphers has.
var ErrScope = errors.New("no cipher has this scope")

// kind returns the kind of the ciphers that are bound to exactly the fields of a scope.
func (s Scope) kind() (kind, error) {
	for _, k := range kinds {
		if k.component == (s.Component != "") && k.project == (s.Project != "") &&
			k.configuration == (s.Configuration != "") && k.branchType == (s.BranchType != "") {
			return k, nil
		}
	}
	return kind{}, ErrScope
}

// authenticatedData returns the additional authenticated data of a cipher of this kind. It
// contains the parts of the scope that the cipher is bound to.
func (k kind) authenticatedData(s Scope) []byte {
	parts := []string{k.name, "", "", "", ""}
	for i, part := range []struct {
		is   bool
		text string
	}{{k.component, s.Component}, {k.project, s.Project}, {k.configuration, s.Configuration}, {k.branchType, s.BranchType}} {
		if part.is {
			parts[i+1] = part.text
		}
	}
	bound, _ := json.Marshal(parts) // a list of texts can always be encoded
	return bound
}

// Box encrypts and decrypts with one key. It is safe for concurrent use.
type Box struct{ sealer cipher.AEAD }

// NewBox returns a Box for the key of a platform.
func NewBox(key [32]byte) *Box {
	block, _ := aes.NewCipher(key[:]) // fails only for keys of other sizes
	sealer, _ := cipher.NewGCMWithRandomNonce(block)
	return &Box{sealer}
}

// EncryptText returns the cipher of a text. It returns ciphers unchanged, including ciphers
// of other platforms.
func (b *Box) EncryptText(s Scope, text string) (string, error) {
	k, err := s.kind()
	if err != nil || isCipher(text) {
		return text, err
	}
	sealed := b.sealer.Seal(nil, nil, []byte(text), k.authenticatedData(s))
	return prefix + k.name + "::" + base64.StdEncoding.EncodeToString(sealed), nil
}

// Encrypt returns a document with every scalar encrypted that has a key beginning with #.
// The encrypted values are texts. Objects and lists with such a key are handled like any
// other.
func (b *Box) Encrypt(s Scope, document value.Value) (value.Value, error) {
	return b.encrypt(s, document, func(value.Value) bool { return true })
}

// EncryptPlain encrypts a document before it is stored. Unlike Encrypt it leaves null,
// empty texts, and texts with a {{variable}}, which contain no secret yet.
func (b *Box) EncryptPlain(s Scope, document value.Value) (value.Value, error) {
	return b.encrypt(s, document, func(secret value.Value) bool {
		return !secret.IsNull() && secret.Raw() != "" && !strings.Contains(secret.Raw(), "{{")
	})
}

func (b *Box) encrypt(s Scope, document value.Value, isPlain func(value.Value) bool) (value.Value, error) {
	if _, err := s.kind(); err != nil {
		return value.Value{}, err
	}
	return mapSecrets(document, func(_ string, secret value.Value) value.Value {
		if !isPlain(secret) {
			return secret
		}
		text, _ := b.EncryptText(s, secret.Cell()) // the scope was checked above
		return value.OfString(text)
	}), nil
}

// Decrypt returns a document with the ciphers decrypted that have a key beginning with #.
// It leaves ciphers unchanged that this scope cannot decrypt, and returns their keys as
// unread.
func (b *Box) Decrypt(s Scope, document value.Value) (decrypted value.Value, unread []string) {
	decrypted = mapSecrets(document, func(key string, secret value.Value) value.Value {
		if secret.Kind() != value.String || !isCipher(secret.Raw()) {
			return secret
		}
		text, ok := b.decryptText(s, secret.Raw())
		if !ok {
			unread = append(unread, key)
			return secret
		}
		return value.OfString(text)
	})
	return decrypted, unread
}

func (b *Box) decryptText(s Scope, text string) (string, bool) {
	for _, k := range kinds {
		encoded, is := strings.CutPrefix(text, prefix+k.name+"::")
		if !is {
			continue
		}
		sealed, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return "", false
		}
		plain, err := b.sealer.Open(nil, nil, sealed, k.authenticatedData(s))
		return string(plain), err == nil
	}
	return "", false
}

func isCipher(text string) bool {
	name, sealed, found := strings.Cut(strings.TrimPrefix(text, prefix), "::")
	return strings.HasPrefix(text, prefix) && found && strings.Contains(name, "Secure") && sealed != ""
}

// mapSecrets returns a document with change applied to every scalar or null that has a key
// beginning with #.
func mapSecrets(v value.Value, change func(key string, secret value.Value) value.Value) value.Value {
	return v.Map(func(m value.Member) value.Member {
		if strings.HasPrefix(m.Name, "#") && (m.Value.IsScalar() || m.Value.IsNull()) {
			m.Value = change(m.Name, m.Value)
		} else {
			m.Value = mapSecrets(m.Value, change)
		}
		return m
	})
}
