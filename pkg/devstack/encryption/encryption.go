// Package encryption makes the ciphers of the local platform and reads them again.
//
// A cipher is encrypted and authenticated with the key of the platform. It is bound
// to its scope, as on the real platform: it can be read only for the component, the
// project, the configuration and the type of branch for which it was made. Ciphers
// of another platform cannot be read. This package keeps nothing.
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

// Prefix is the beginning of every cipher.
const Prefix = "KBC::"

// Scope says where a cipher can be read. What is "" does not matter for it.
type Scope struct {
	Component, Project, Configuration string
	// BranchType is default or dev.
	BranchType string
}

// kind is a kind of ciphers: the name that they begin with, and what they are bound
// to.
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

// ErrScope says that no kind of ciphers has such a scope.
var ErrScope = errors.New("no cipher has this scope")

// kind is the kind of the ciphers that are bound to all of a scope.
func (s Scope) kind() (kind, error) {
	for _, k := range kinds {
		if k.component == (s.Component != "") && k.project == (s.Project != "") &&
			k.configuration == (s.Configuration != "") && k.branchType == (s.BranchType != "") {
			return k, nil
		}
	}
	return kind{}, ErrScope
}

// bound is what a cipher of this kind is authenticated with, for a reader or a
// writer with this scope.
func (k kind) bound(s Scope) []byte {
	parts := []string{k.name, "", "", "", ""}
	for i, part := range []struct {
		is   bool
		text string
	}{{k.component, s.Component}, {k.project, s.Project}, {k.configuration, s.Configuration}, {k.branchType, s.BranchType}} {
		if part.is {
			parts[i+1] = part.text
		}
	}
	bound, _ := json.Marshal(parts) // texts always have a JSON
	return bound
}

// Box encrypts and decrypts with one key. Several goroutines may use it.
type Box struct{ sealer cipher.AEAD }

// NewBox makes a box for the key of a platform.
func NewBox(key [32]byte) *Box {
	block, _ := aes.NewCipher(key[:]) // fails for keys of other sizes
	sealer, _ := cipher.NewGCMWithRandomNonce(block)
	return &Box{sealer}
}

// EncryptText is the cipher of a text. A cipher stays as it is, wherever it is from.
func (b *Box) EncryptText(s Scope, text string) (string, error) {
	k, err := s.kind()
	if err != nil || isCipher(text) {
		return text, err
	}
	sealed := b.sealer.Seal(nil, nil, []byte(text), k.bound(s))
	return Prefix + k.name + "::" + base64.StdEncoding.EncodeToString(sealed), nil
}

// Encrypt is a document with a cipher for every scalar whose key begins with #,
// which becomes a text. What is below such a key is like everything else.
func (b *Box) Encrypt(s Scope, document value.Value) (value.Value, error) {
	if _, err := s.kind(); err != nil {
		return value.Value{}, err
	}
	return eachSecret(document, func(_ string, secret value.Value) value.Value {
		text, _ := b.EncryptText(s, secret.Cell()) // the scope is good
		return value.OfString(text)
	}), nil
}

// EncryptPlain does the same for a document that is about to be stored. It leaves null,
// empty texts and those with a {{variable}}, which hold no secret yet.
func (b *Box) EncryptPlain(s Scope, document value.Value) (value.Value, error) {
	if _, err := s.kind(); err != nil {
		return value.Value{}, err
	}
	return eachSecret(document, func(_ string, secret value.Value) value.Value {
		if secret.IsNull() || secret.Raw() == "" || strings.Contains(secret.Raw(), "{{") || isCipher(secret.Raw()) {
			return secret
		}
		text, _ := b.EncryptText(s, secret.Cell()) // the scope is good
		return value.OfString(text)
	}), nil
}

// Decrypt is a document with the texts of the ciphers below keys that begin with #,
// for a reader with this scope, and the keys of the ciphers that cannot be read,
// which stay as they are.
func (b *Box) Decrypt(s Scope, document value.Value) (decrypted value.Value, unread []string) {
	decrypted = eachSecret(document, func(key string, secret value.Value) value.Value {
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
		encoded, is := strings.CutPrefix(text, Prefix+k.name+"::")
		if !is {
			continue
		}
		sealed, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return "", false
		}
		plain, err := b.sealer.Open(nil, nil, sealed, k.bound(s))
		return string(plain), err == nil
	}
	return "", false
}

// isCipher reports whether a text is a cipher of this or another platform.
func isCipher(text string) bool {
	name, sealed, found := strings.Cut(strings.TrimPrefix(text, Prefix), "::")
	return strings.HasPrefix(text, Prefix) && found && strings.Contains(name, "Secure") && sealed != ""
}

// eachSecret is a document with every scalar, or null, whose key begins with #
// changed.
func eachSecret(v value.Value, change func(key string, secret value.Value) value.Value) value.Value {
	return v.Map(func(m value.Member) value.Member {
		if strings.HasPrefix(m.Name, "#") && (m.Value.IsScalar() || m.Value.IsNull()) {
			m.Value = change(m.Name, m.Value)
		} else {
			m.Value = eachSecret(m.Value, change)
		}
		return m
	})
}
