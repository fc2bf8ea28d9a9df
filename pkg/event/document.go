package event

import (
	"iter"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// AddDocument puts every secret of a document into the set.
func (s *Secrets) AddDocument(doc value.Value) {
	for _, secret := range SecretsIn(doc) {
		s.Add(secret)
	}
}

// SecretsIn yields every text and number below a key that begins with #, with
// its JSON pointer, in the order of the document.
func SecretsIn(doc value.Value) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) { walkSecrets(doc, "", false, yield) }
}

func walkSecrets(v value.Value, pointer string, secret bool, yield func(string, string) bool) bool {
	if k := v.Kind(); secret && (k == value.String || k == value.Number) {
		return yield(pointer, v.Raw())
	}
	for _, m := range v.Members() {
		if !walkSecrets(m.Value, failure.PointerJoin(pointer, m.Name), secret || strings.HasPrefix(m.Name, "#"), yield) {
			return false
		}
	}
	for i, item := range v.Items() {
		if !walkSecrets(item, failure.PointerJoin(pointer, strconv.Itoa(i)), secret, yield) {
			return false
		}
	}
	return true
}
