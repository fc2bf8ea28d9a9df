package expr

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// minMaskedLength is the minimum length, in characters, of a text made of a secret that
// is masked everywhere. A shorter text ("1", "page", "2025") is masked only in the
// request that contains it, because masking it everywhere would hide harmless words.
const minMaskedLength = 8

// Conceals reports whether a text that was made of a secret is long enough to be masked
// everywhere.
func Conceals(text string) bool { return utf8.RuneCountInString(text) >= minMaskedLength }

// registerSecrets registers the texts that a function made of secret arguments.
func (s *Scope) registerSecrets(args []value.Value, result value.Value) {
	if s == nil || s.Conceal == nil {
		return
	}
	written := func(made value.Value) bool {
		return slices.ContainsFunc(args, func(arg value.Value) bool { return !arg.Secret() && arg.Equal(made) })
	}
	for _, made := range scalars(result, nil) {
		if text := made.Text(); Conceals(text) && !written(made) && !showsSecrets(text, args) {
			s.Conceal(text)
		}
	}
}

// showsSecrets reports whether a text contains all secrets among the arguments unchanged,
// so that they are masked in it already.
func showsSecrets(text string, args []value.Value) bool {
	for _, arg := range args {
		for _, part := range scalars(arg, nil) {
			secret := textOf(part)
			if part.Secret() && secret != "" && !(Conceals(secret) && strings.Contains(text, secret)) {
				return false
			}
		}
	}
	return true
}

// scalars appends all scalars in a value.
func scalars(v value.Value, all []value.Value) []value.Value {
	if v.IsScalar() {
		return append(all, v)
	}
	for _, item := range v.Items() {
		all = scalars(item, all)
	}
	for _, m := range v.Members() {
		all = scalars(m.Value, all)
	}
	return all
}
