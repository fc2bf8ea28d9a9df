// Package language is the configuration language put together: every setting of
// a document, from the packages that declare and read them. The JSON Schema, the
// reference and the checks of a document follow from it.
package language

import (
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
)

// Language is what a configuration may say.
type Language struct {
	engine.Features
	Tree *field.Tree
}

// Default is the language of this program.
func Default() *Language {
	return New(engine.Features{Paging: paging.AllMethods(), Auth: auth.AllSchemes(), Functions: expr.AllFunctions()})
}

// New is the language with these features.
func New(features engine.Features) *Language {
	return &Language{Features: features, Tree: config.NewTree(config.Types{
		Authentication: features.Auth.Type(),
		Pagination:     features.Paging.Type(),
		Placeholder:    engine.PlaceholderType(),
		Mappings:       mapping.Type(),
		Credentials:    features.Auth.Attributes(),
		Document:       []field.Declared{auth.Authorization},
		Settings:       []field.Declared{exchange.Cache, exchange.SSHProxy, exchange.AWS},
	})}
}

// Schema is the JSON Schema of documents in this language.
func (l *Language) Schema() []byte {
	return l.Tree.Schema("https://keboola.github.io/configurable-extractor/schema.json", l.Functions.Type())
}
