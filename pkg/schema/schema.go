// Package schema contains the whole configuration language: every setting of a document,
// from the packages that declare them. The JSON Schema, the reference and the checks of a
// document are derived from it.
package schema

import (
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/engine"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
)

// Language is a configuration language.
type Language struct {
	engine.Features
	Tree *field.Tree
}

// Default returns the language of this program. It always returns the same Language,
// which must not be changed.
var Default = sync.OnceValue(func() *Language {
	return New(engine.Features{Paging: pagination.AllMethods(), Auth: auth.AllSchemes(), Vocabulary: expr.Vocabulary{}.All()})
})

// New returns the language with the given features.
func New(features engine.Features) *Language {
	return &Language{Features: features, Tree: config.NewTree(config.Types{
		Authentication: features.Auth.Type(),
		Pagination:     features.Paging.Type(),
		Response:       response.Type(),
		Rules:          rule.Type(),
		Placeholder:    engine.PlaceholderType(),
		Remember:       engine.RememberType(),
		Mappings:       mapping.Type(),
		Credentials:    features.Auth.Attributes(),
		Document:       []field.Declaration{auth.Authorization},
		Settings:       []field.Declaration{httpclient.Cache, httpclient.SSHProxy, httpclient.AWS},
	})}
}

// Schema returns the JSON Schema of documents in this language.
func (l *Language) Schema() []byte {
	return l.Tree.Schema("https://keboola.github.io/configurable-extractor/schema.json", l.Vocabulary.Type())
}
