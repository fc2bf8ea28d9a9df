package engine

import (
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// formatRemembered formats a remembered value for people. It hides the value of a secret
// name.
func formatRemembered(name string, v value.Value, mask func(string) string) string {
	switch {
	case v.IsNull():
		return ""
	case state.Secret(name):
		return secret.Hidden
	case v.Kind() == value.String:
		return textfmt.Shorten(mask(v.Raw()), maxShown)
	default:
		return textfmt.Shorten(mask(v.JSON()), maxShown)
	}
}

// maxShown is the maximum length, in characters, of a value that is shown.
const maxShown = 500
